"""Words that carry no topic, and the phrases of asking."""

from __future__ import annotations

import re

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(
        "a an the and or but if of in on at by to for from with without as is are was were be been being am do does "
        "did has have had can could should would will shall may might must it its this that these those there their "
        "them they we you your he she his her i my me our us not no nor so than then too very what which who whom "
        "whose when where why how about into over under between during before after above below up down out off again "
        "all any both each few more most other some such only own same just also while because until through".split()
    ),
    "de": frozenset(
        "der die das den dem des ein eine einer eines einem einen und oder aber nicht ist sind war wird werden wie was "
        "wer wo wann warum mit von zu zum zur auf für im in an bei aus nach über unter auch sich es ich wir ihr sie "
        "kann können muss dass wenn als man noch nur durch gegen um hat haben welche welcher welches welchen "
        "gibt darf dürfen müssen soll sollen wieviel wohin woher womit seit bis mein meine meinen ihre unser beim ins "
        "ans aufs fürs ums durchs".split()
    ),
    "fr": frozenset(
        "le la les un une des du de et ou mais ne pas est sont était être que qui quoi quel quelle comment pourquoi où "
        "quand avec sans pour par sur dans en au aux ce cette ces il elle nous vous ils elles se sa son ses leur leurs "
        "plus très aussi si comme peut fait d l c j n s qu à y je tu on ai ont quels quelles combien faut puis dois "
        "doit peux depuis pendant selon mon ma mes notre votre nos vos".split()
    ),
    "es": frozenset(
        "el la los las un una unos unas y o pero no es son era ser que qué quién cuál cómo cuándo dónde por para con "
        "sin sobre en de del al se su sus lo le les como más muy también si este esta estos estas ese esa hay ha han "
        "puede entre desde hasta a quiénes cuál cuáles cuánto cuánta cuántos cuántas puedo pueden debo debe tengo "
        "tiene tienen mi mis nuestro nuestra está están fue".split()
    ),
    "it": frozenset(
        "il lo la i gli le un uno una e o ma non è sono era essere che chi cosa come quando dove perché con senza per "
        "su in di del della dei delle al alla da dal dalla si suo sua loro più molto anche se questo questa può nel "
        "nella tra fra".split()
    ),
    "pt": frozenset(
        "o a os as um uma uns umas e ou mas não é são era ser que quem qual como quando onde por para com sem sobre em "
        "de do da dos das no na nos nas ao à se seu sua seus suas mais muito também se este esta isso há pode entre "
        "até desde".split()
    ),
    "nl": frozenset(
        "de het een en of maar niet is zijn was wordt worden wat wie waar wanneer waarom hoe met zonder voor van in op "
        "aan bij uit naar over onder ook zich hij zij wij jullie kan kunnen moet dat als nog alleen door tegen om te "
        "er deze dit die".split()
    ),
}
"""The most frequent words of each language, by ISO 639-1 code; several languages share some."""

ALSO_ENGLISH = frozenset(
    "a an am ai as at c comment d de die do for ha hat has he in is it j l la las les lo los man me mi mon n no o on "
    "or os para per plus pour qu s se see si so son sa sans sera sur tu uit van via von war was y".split()
)
"""Function words of other languages that English texts hold too, as words or in names."""

ENGLISH_STOP_WORDS = (
    FUNCTION_WORDS["en"]
    - {"between", "before", "after", "during", "until"}  # relations of time and place do carry a topic
    | frozenset(
        "don't doesn't didn't isn't aren't wasn't weren't can't couldn't shouldn't won't wouldn't it's that's there's "
        "what's who's how's let's i'm you're we're they're i've you've we've they've ll re ve e.g i.e etc vs versus "
        "one use uses used using say says come comes go goes going via "
        "per yes much many lot lots like get gets got".split()
    )
)
"""English words that a query drops."""

ASKING_WORDS = frozenset(
    "explain describe compare comparing comparison discuss outline summarize summarise summary tell give list show "
    "define definition elaborate analyze analyse evaluate investigate research please question answer overview detail "
    "details detailed comprehensive thorough thoroughly briefly exactly actually really mean means meaning want need "
    "know understand wonder help make sure work works "
    "whether happen happens respectively various different kind kinds sort sorts".split()
)
"""English words that ask and do not say what about."""

JAPANESE_ASKING = re.compile(
    r"について|に関して|に関する|における|教えて|おしえて|ください|下さい|(?:ご)?説明(?:して|せよ|しなさい|してほしい)|"
    r"解説(?:して|せよ)|比較(?:して|せよ|しながら)|述べ(?:て|よ)|まとめて|要約(?:して|せよ)|調べて|知りたい|挙げて|"
    r"とは(?:何|なに|なん)?(?:ですか|でしょうか|か)?|何(?:ですか|でしょうか|か)|(?:は|が|を|に|で|と)何|何(?:を|が|に|の|で)|"
    r"誰(?:が|を|に|の|は)?|どのよう(?:に|な)|どういう|どうやって|どうすれば|どうして|どんな|どの|どれ|どこ|いつ|なぜ|何故|いくつ|"
    r"(?:です|ます|でしょう|ません|ました)か?|(?:の)?場合(?:に|は|には)|それぞれ|また(?:、|は)|および|及び|ならびに|並びに"
)
"""Japanese phrases that ask, which a query drops before it is cut into bigrams."""
