"""The cues of an answer: words of conditions, defaults, consequences and the like, in English and Japanese."""

from __future__ import annotations

import re

CUES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "condition": (
            r"\b(?:if|when|whenever|unless|provided|as long as"
            r"|in case|until|only)\b|場合|とき|時に|なら|れば|限り"
        ),
        "default": r"\b(?:defaults?|initially|by default|built-in)\b|デフォルト|既定|初期|標準で",
        "consequence": (
            r"\b(?:errors?|fails?|failure|warnings?|raise[sd]?|refuse[sd]?|cannot|lost|lose|loss|corrupt\w*|"
            r"results? in|causes?|will not|abort\w*|reject\w*|discard\w*)\b"
            r"|エラー|失敗|警告|できません|できない|壊|失わ|破損|拒否"
        ),
        "contrast": (
            r"\b(?:but|however|although|though|whereas|while|unlike|instead|rather than|except|in contrast|"
            r"only|differs?|different(?:ly)?|same)\b|しかし|一方|ただし|のに対し|ではなく|以外|違い|異な|だけ"
        ),
        "modal": (
            r"\b(?:must|should|shall|required?|requires|need(?:s|ed)?|recommended|never|always|may not|"
            r"do not|avoid|ought)\b|べき|必要|なければ|推奨|必ず|てはいけ|てはなり|ください|ましょう"
        ),
        "number": (
            r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twice|half|million|billion|thousand|"
            r"seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b"
        ),
        "definition": (
            r"\b(?:is an?|is the|are the|means|refers to|specifies|controls|determines|is used to|"
            r"are used to|allows?|is called|consists? of|sets? the|returns?)\b"
            r"|とは|である|意味|指定|役割|ためのもの|を指"
        ),
        "reason": r"\b(?:because|since|so that|therefore|due to|reason|in order to|thus)\b|ため|ので|理由|なぜなら",
        "action": (
            r"\b(?:use|run|set|create|add|remove|call|specify|choose|enable|disable|you can|can be|to do)\b|"
            r"使|実行|設定|作成|追加|削除"
        ),
        "identifier": r"\w_\w|\w\(\)|(?<!\w)--?[a-z]|\b[A-Z]{3,}\b|\b[a-z]+[A-Z]\w+|\.\w{1,5}\b/|[/~]\w+/",
    }.items()
}
_WANTED_BY: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "condition": (
            r"\b(?:when|under (?:which|what)|conditions?"
            r"|whether|if|unless|circumstances)\b|とき|場合|条件|いつ"
        ),
        "default": r"\bdefaults?\b|デフォルト|既定",
        "consequence": (
            r"\b(?:what happens?|happens|wrong|fails?|lost|lose|conflicts?|errors?|risks?|pitfalls?|dangers?|"
            r"problems?|limits?|limitations?|restrictions?|safe|safely|drawbacks?|disadvantages?)\b|制限|問題|注意|"
            r"危険|失敗|欠点"
        ),
        "contrast": (
            r"\b(?:compare|compared|differences?|differ|different|versus|vs|better|instead|rather|"
            r"advantages?)\b|違い|比較|比べ|使い分け|利点"
        ),
        "modal": (
            r"\b(?:should|must|rules?|required?|requirements?|recommended|need|allowed|considered|treat)\b|"
            r"べき|必要|ルール|要件|注意"
        ),
        "number": (
            r"\bhow (?:long|many|much|often|large|big|old|fast)\b"
            r"|いくつ|どれくらい|どのくらい|何(?:日|回|個|人|年|分|秒)"
        ),
        "definition": r"\bwhat (?:is|are|does|do)\b|\bmeans?\b|何(?:です|を|か)|とは|役割|意味|種類",
        "reason": r"\bwhy\b|\breasons?\b|なぜ|理由|どうして",
        "action": r"\bhow (?:do|can|should|to|would|must)\b|方法|手順|どうすれば|どのように|やり方|作り方",
    }.items()
}


def wants(text: str) -> frozenset[str]:
    """The cues of an answer that a question asks for."""
    return frozenset(name for name, pattern in _WANTED_BY.items() if pattern.search(text))


def cues_of(claim: str) -> tuple[float, ...]:
    """1 for each cue that a claim holds, else 0, in the order of `CUES`."""
    return tuple(1.0 if pattern.search(claim) else 0.0 for pattern in CUES.values())
