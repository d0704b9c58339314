"""The kinds of readers that a topic may have: by which words a topic is theirs, and what they ask of anything."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Told:
    """A reader in one language."""

    name: str
    focus: str
    questions: tuple[str, ...]
    """What stands behind the topic and a colon."""


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A kind of reader."""

    cues: re.Pattern[str]
    """Words of a topic that is theirs, in English and in Japanese."""
    english: Told
    japanese: Told


def _cues(english: str, japanese: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{english})|(?:{japanese})", re.IGNORECASE)


READERS: tuple[Reader, ...] = (
    Reader(
        cues=_cues(
            r"usage|users?\b|how\s+to|begin|tutorial|guide|learn|examples?\b", "使い方|利用|方法|入門|手順|初心者"
        ),
        english=Told(
            name="Newcomer",
            focus="What it is, and where to begin",
            questions=("what is it?", "what is it used for?", "what does one need to know before?"),
        ),
        japanese=Told(
            name="初めて触れる人",
            focus="それが何か、どこから始めるか",
            questions=("それは何か", "何に使われるか", "その前に知っておくべきことは何か"),
        ),
    ),
    Reader(
        cues=_cues(
            r"configur|install|deploy|servers?\b|databases?|software|code\b|program|api\b|algorithm|protocol|network"
            r"|performance|engine|machine|build|bridges?\b|replicat|quer(?:y|ies)|index|memory|cache|debug|version",
            "設定|構成|導入|サーバ|データベース|ソフト|コード|プログラム|実装|性能|工学|設計|建設|橋|機械|インストール"
            "|バージョン|パッケージ",
        ),
        english=Told(
            name="Engineer",
            focus="How it works, how it is set up, and where it fails",
            questions=("how does it work?", "how is it set up?", "when does it fail, and what helps then?"),
        ),
        japanese=Told(
            name="技術者",
            focus="仕組みと設定、うまくいかない条件",
            questions=("どのような仕組みか", "どのように設定するか", "どのようなときに失敗し、どう対処するか"),
        ),
    ),
    Reader(
        cues=_cues(
            r"costs?\b|prices?\b|pricing|market|business|compan(?:y|ies)|customer|revenue|profit|invest|econom|industr|sales"
            r"|vendor|compet|enterprise",
            "費用|価格|料金|市場|事業|企業|会社|顧客|売上|利益|投資|経済|産業|業界|競合|経営",
        ),
        english=Told(
            name="Business analyst",
            focus="What it costs, what it brings, and to whom",
            questions=("what does it cost?", "what does it bring, and to whom?", "what are the alternatives?"),
        ),
        japanese=Told(
            name="経営の視点",
            focus="費用と効果、誰のためになるか",
            questions=("費用はどれだけかかるか", "誰に何をもたらすか", "代わりになるものは何か"),
        ),
    ),
    Reader(
        cues=_cues(
            r"scien|research|experiment|theor(?:y|ies|em)|stud(?:y|ies)\b|evidence|hypothes|measure|physic|chemi|biolog|medic"
            r"|climate|species|disease|cells?\b|energy|planet|ocean|sea\b",
            "科学|研究|実験|理論|仮説|測定|物理|化学|生物|医学|気候|病|細胞|エネルギー|惑星|海|観測",
        ),
        english=Told(
            name="Scientist",
            focus="Causes, and the evidence for them",
            questions=("what causes it?", "what is the evidence?", "what is not known?"),
        ),
        japanese=Told(
            name="科学者",
            focus="原因とその根拠",
            questions=("原因は何か", "どのような根拠があるか", "分かっていないことは何か"),
        ),
    ),
    Reader(
        cues=_cues(
            r"laws?\b|legal|licen[cs]|regulat|polic(?:y|ies)|govern|rights?\b|complian|courts?\b|treat(?:y|ies)\b|privacy"
            r"|copyright|standards?\b|rules?\b",
            "(?<![方手文用記技寸作解])法|規制|政策|政府|権利|裁判|条約|契約|著作権|ライセンス|規則|規定|ポリシー|義務|許可",
        ),
        english=Told(
            name="Lawyer and policy maker",
            focus="What is allowed, what is required, and who decides",
            questions=("which rules apply?", "what is required, and of whom?", "who decides?"),
        ),
        japanese=Told(
            name="法律・政策の視点",
            focus="許されること、求められること、誰が決めるか",
            questions=("どのような規則があるか", "誰に何が求められるか", "決めるのは誰か"),
        ),
    ),
    Reader(
        cues=_cues(
            r"histor|origin|centur(?:y|ies)|founded|evol(?:ve|ution)|ancient|wars?\b|past\b|became|timeline|1[0-9]{3}\b",
            "歴史|起源|由来|世紀|変遷|経緯|創業|設立|時代|昔|戦争|発展|沿革",
        ),
        english=Told(
            name="Historian",
            focus="How it came about, and what changed it",
            questions=("how did it begin?", "what has changed it since?", "what was there before?"),
        ),
        japanese=Told(
            name="歴史家",
            focus="成り立ちと変化のきっかけ",
            questions=("どのように始まったか", "その後どう変わったか", "その前には何があったか"),
        ),
    ),
    Reader(
        cues=_cues(
            r"datasets?|records?\b|statistic|distribut|trends?\b|counts?\b|survey|percent|shares?\b|correlat|events?\s+by"
            r"|histogram|rates?\b|how\s+many",
            "データ|統計|分布|推移|傾向|件数|割合|集計|調査|内訳|(?<![特区個])別に",
        ),
        english=Told(
            name="Data analyst",
            focus="Numbers, how they are distributed and how they change",
            questions=("how is it distributed?", "how does it change over time?", "which values stand out?"),
        ),
        japanese=Told(
            name="データ分析者",
            focus="数値とその分布・推移",
            questions=("分布はどうなっているか", "時間とともにどう推移しているか", "目立つ値はどれか"),
        ),
    ),
)
"""The readers that there are; where nothing tells them apart, in this order."""
