"""How questions in German are asked."""

from __future__ import annotations

from fathom.languages.asking import Asking

GERMAN = Asking(
    language="de",
    words=r"(?:(?:an|auf|aus|bei|bis|für|in|mit|nach|seit|um|unter|von|vor|zu|ab)\s+)?(?:wie(?:so|viele?)?|was|we[rnm]|wessen"
    r"|wann|wo(?:hin|her|für|mit|von|zu|r?an|r?auf|r?aus|durch|bei|nach|rum)?|warum|weshalb|welche[rsmn]?)",
    verbs=r"(?!(?:denn?|denen|die|sie|ohne|heute|gerne|nicht|mit|seit|damit|jetzt|wenn)\b)"
    r"(?:(?:^\w+e|(?-i:[a-zäöüß]+)e|kann|muss|darf|soll|will|mag|bin|hab)\s+ich|(?:^\w+t|(?-i:[a-zäöüß]+)t|kann|muss|darf|soll|wird)\s+man"
    r"|(?:^\w+|(?-i:[a-zäöüß]+))en\s+wir|(?:sind|war|haben|kann|muss|darf|soll|wird|(?:^\w+|(?-i:[a-zäöüß]+))t)\s+"
    r"(?:er|es|sie|das|die|der|jemand|ein\w*|mein\w*|unser\w*))",
    joins=r"und|oder|aber|sowie|und\s+(?:auch|dann)",
    whole=r"ausführlich\w*|umfassend\w*|im\s+detail|alles\s+über|genau\s+und\s+vollständig|gründlich\w*",
)
