"""How different readers would look at a topic: a table of seven, and what each asks of anything."""

from __future__ import annotations

import re

from fathom.asks import GeneratePerspectives
from fathom.languages.readers import titled
from fathom.plan import Perspective, Perspectives
from fathom.reasoners.extractive.question import read_question
from fathom.text.analysis import identifiers
from fathom.text.characters import count_cjk

KEYWORDS = 5
"""Keywords of a perspective."""
_READERS = [
    (re.compile(cues, re.IGNORECASE), english.split(" | "), japanese.split(" | "))
    for cues, english, japanese in (
        (
            r"\b(?:usage|users?\b|how\s+to|begin|tutorial|guide|learn|examples?\b)|使い方|利用|方法|入門|手順|初心者",
            "Newcomer | What it is, and where to begin"
            " | what is it? | what is it used for? | what does one need to know before?",
            "初めて触れる人 | それが何か、どこから始めるか"
            " | それは何か | 何に使われるか | その前に知っておくべきことは何か",
        ),
        (
            r"\b(?:configur|install|deploy|servers?\b|databases?|software|code\b|program|api\b|algorithm|protocol|network"
            r"|performance|engine|machine|build|bridges?\b|replicat|quer(?:y|ies)|index|memory|cache|debug|version)"
            "|設定|構成|導入|サーバ|データベース|ソフト|コード|プログラム|実装|性能|工学|設計|建設|橋|機械|バージョン",
            "Engineer | How it works, how it is set up, and where it fails"
            " | how does it work? | how is it set up? | when does it fail, and what helps then?",
            "技術者 | 仕組みと設定、うまくいかない条件"
            " | どのような仕組みか | どのように設定するか | どのようなときに失敗し、どう対処するか",
        ),
        (
            r"\b(?:costs?\b|prices?\b|pricing|market|business|compan(?:y|ies)|customer|revenue|profit|invest|econom|industr"
            r"|sales|vendor|compet|enterprise)|費用|価格|料金|市場|事業|企業|会社|顧客|売上|利益|投資|経済|産業|業界|経営",
            "Business analyst | What it costs, what it brings, and to whom"
            " | what does it cost? | what does it bring, and to whom? | what are the alternatives?",
            "経営の視点 | 費用と効果、誰のためになるか"
            " | 費用はどれだけかかるか | 誰に何をもたらすか | 代わりになるものは何か",
        ),
        (
            r"\b(?:scien|research|experiment|theor(?:y|ies|em)|stud(?:y|ies)\b|evidence|hypothes|measure|physic|chemi|biolog"
            r"|medic|climate|species|disease|cells?\b|energy|planet|ocean|sea\b)"
            "|科学|研究|実験|理論|仮説|測定|物理|化学|生物|医学|気候|病|細胞|エネルギー|惑星|海|観測",
            "Scientist | Causes, and the evidence for them"
            " | what causes it? | what is the evidence? | what is not known?",
            "科学者 | 原因とその根拠 | 原因は何か | どのような根拠があるか | 分かっていないことは何か",
        ),
        (
            r"\b(?:laws?\b|legal|licen[cs]|regulat|polic(?:y|ies)|govern|rights?\b|complian|courts?\b|treat(?:y|ies)\b"
            r"|privacy|copyright|standards?\b|rules?\b)"
            "|(?<![方手文用記技寸作解])法|規制|政策|政府|権利|裁判|条約|契約|著作権|ライセンス|規則|規定|義務|許可",
            "Lawyer and policy maker | What is allowed, what is required, and who decides"
            " | which rules apply? | what is required, and of whom? | who decides?",
            "法律・政策の視点 | 許されること、求められること、誰が決めるか"
            " | どのような規則があるか | 誰に何が求められるか | 決めるのは誰か",
        ),
        (
            r"\b(?:histor|origin|centur(?:y|ies)|founded|evol(?:ve|ution)|ancient|wars?\b|past\b|became|timeline|1[0-9]{3}\b)"
            "|歴史|起源|由来|世紀|変遷|経緯|創業|設立|時代|昔|戦争|発展|沿革",
            "Historian | How it came about, and what changed it"
            " | how did it begin? | what has changed it since? | what was there before?",
            "歴史家 | 成り立ちと変化のきっかけ | どのように始まったか | その後どう変わったか | その前には何があったか",
        ),
        (
            r"\b(?:datasets?|records?\b|statistic|distribut|trends?\b|counts?\b|survey|percent|shares?\b|correlat|histogram"
            r"|rates?\b|how\s+many)|データ|統計|分布|推移|傾向|件数|割合|集計|調査|内訳|(?<![特区個])別に",
            "Data analyst | Numbers, how they are distributed and how they change"
            " | how is it distributed? | how does it change over time? | which values stand out?",
            "データ分析者 | 数値とその分布・推移"
            " | 分布はどうなっているか | 時間とともにどう推移しているか | 目立つ値はどれか",
        ),
    )
]
"""Words of a topic that is theirs; who they are, what they look at and what they ask, in English and in Japanese."""


def generate_perspectives(ask: GeneratePerspectives) -> Perspectives:
    """The kinds of readers whose words the topic uses most; of others, the first ones.

    Nothing is claimed, and nothing is planned from it: what each asks is put before the topic's name.
    """
    wide = ask.language == "ja" or count_cjk(ask.topic) > 0
    own = f"{ask.topic}\n{ask.domain}" + "\ndataset" * any(source.kind == "dataset" for source in ask.sources)
    cues = [{match[0].casefold() for match in reader[0].finditer(own)} for reader in _READERS]
    chosen = sorted(range(len(_READERS)), key=lambda at: -len(cues[at]))[: ask.num_perspectives]
    first = read_question(ask.topic, language=ask.language).clauses[0]
    topic = titled((first.topic or first.heading).removeprefix("the "), ask.topic)
    keywords = tuple(dict.fromkeys((topic, *identifiers(ask.topic))))[:KEYWORDS]
    found = []
    for at in chosen:
        _, english, japanese = _READERS[at]
        name, focus, *asked = japanese if wide else english
        questions = tuple(f"{topic}{'：' if wide else ': '}{each}" for each in asked)
        found.append(Perspective(name=name, focus=focus, questions=questions, keywords=keywords))
    said = ", ".join(dict.fromkeys(cue for at in chosen for cue in sorted(cues[at])))
    reason = f"話題の語に最も合う読み手です（{said}）。" if wide else f"Their words stand in the topic: {said}."
    none = "特定の読み手を示す語はありません。" if wide else "No word points to a reader."
    return Perspectives(perspectives=tuple(found), reasoning=reason if said else none)
