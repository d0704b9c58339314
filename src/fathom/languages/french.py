"""How questions in French are asked."""

from __future__ import annotations

from fathom.languages.asking import Asking

FRENCH = Asking(
    language="fr",
    words=r"(?:(?:à|avec|chez|dans|de|depuis|en|jusqu['’]à|par|pour|sous|sur|vers)\s+)?(?:comment|quand|où|pourquoi|combien|qui|quoi"
    r"|(?:la|le|les|de|des|à|au|aux)?\s?quel(?:le)?s?|qu['’]est-ce|est-ce|qu['’]\w+)",
    verbs=r"(?:\w+['’])?\w+-(?:t-)?(?:je|tu|ils?|elles?|on|nous|vous|ce)",
    joins=r"et|ou|mais|puis|et\s+(?:aussi|puis)",
    whole=r"en\s+détail|complète?\w*|exhaustive?\w*|approfondie?\w*|tout\s+sur",
    form="{} ?",
)
