"""Who speaks on a page, as far as its address tells: an authority, science, the press, a forum, a vendor."""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from fathom.evidence import SourceNature

_HOSTS: dict[SourceNature, frozenset[str]] = {
    "official": frozenset(
        "gov mil int go.jp lg.jp gouv.fr bund.de admin.ch gv.at gc.ca canada.ca europa.eu un.org who.int unesco.org "
        "unicef.org ilo.org fao.org wto.org imf.org worldbank.org oecd.org iaea.org nato.int bundesregierung.de "
        "bundestag.de gob.es gob.mx go.kr go.th regjeringen.no government.se overheid.nl parliament.uk nhs.uk "
        "federalreserve.gov ecb.europa.eu boj.or.jp bankofengland.co.uk jma.go.jp".split()
    ),
    "academic": frozenset(
        "edu arxiv.org biorxiv.org medrxiv.org doi.org nih.gov nature.com science.org sciencemag.org springer.com "
        "sciencedirect.com wiley.com tandfonline.com sagepub.com oup.com cambridge.org jstor.org ieee.org acm.org "
        "plos.org pnas.org cell.com thelancet.com nejm.org bmj.com jamanetwork.com frontiersin.org mdpi.com acs.org "
        "rsc.org aps.org iop.org aclanthology.org openreview.net neurips.cc jmlr.org semanticscholar.org openalex.org "
        "europepmc.org zenodo.org hal.science ssrn.com researchgate.net cern.ch mpg.de riken.jp jst.go.jp nii.ac.jp "
        "cinii.jp usenix.org dblp.org eric.ed.gov".split()
    ),
    "reference": frozenset(
        "wikipedia.org wiktionary.org wikidata.org wikibooks.org wikisource.org wikivoyage.org britannica.com "
        "merriam-webster.com dictionary.com encyclopedia.com collinsdictionary.com oed.com larousse.fr duden.de "
        "treccani.it kotobank.jp weblio.jp rfc-editor.org w3.org ietf.org iso.org itu.int whatwg.org unicode.org "
        "ecma-international.org opengroup.org developer.mozilla.org plato.stanford.edu iep.utm.edu "
        "docs.python.org docs.oracle.com learn.microsoft.com man7.org cppreference.com docs.rs pkg.go.dev "
        "readthedocs.io readthedocs.org kernel.org postgresql.org sqlite.org djangoproject.com debian.org".split()
    ),
    "news": frozenset(
        "reuters.com apnews.com afp.com bbc.com bbc.co.uk nytimes.com washingtonpost.com wsj.com ft.com economist.com "
        "theguardian.com bloomberg.com cnn.com cnbc.com npr.org pbs.org nbcnews.com cbsnews.com abcnews.go.com "
        "foxnews.com usatoday.com latimes.com time.com politico.com politico.eu axios.com theatlantic.com "
        "newyorker.com "
        "independent.co.uk telegraph.co.uk thetimes.co.uk aljazeera.com dw.com france24.com lemonde.fr lefigaro.fr "
        "spiegel.de zeit.de faz.net sueddeutsche.de tagesschau.de elpais.com elmundo.es corriere.it repubblica.it "
        "abc.net.au cbc.ca theglobeandmail.com scmp.com straitstimes.com thehindu.com techcrunch.com theverge.com "
        "arstechnica.com wired.com zdnet.com theregister.com heise.de golem.de lwn.net "
        "nhk.or.jp asahi.com yomiuri.co.jp mainichi.jp nikkei.com sankei.com tokyo-np.co.jp jiji.com kyodonews.jp "
        "kyodonews.net japantimes.co.jp news.yahoo.co.jp itmedia.co.jp impress.co.jp toyokeizai.net "
        "news.google.com".split()
    ),
    "forum": frozenset(
        "reddit.com stackexchange.com stackoverflow.com superuser.com serverfault.com askubuntu.com mathoverflow.net "
        "quora.com news.ycombinator.com lobste.rs slashdot.org fandom.com 4chan.org 5ch.net 2ch.sc "
        "chiebukuro.yahoo.co.jp oshiete.goo.ne.jp okwave.jp qiita.com zenn.dev teratail.com hatenablog.com note.com "
        "ameblo.jp medium.com substack.com tumblr.com blogspot.com wordpress.com dev.to hashnode.dev x.com twitter.com "
        "facebook.com instagram.com tiktok.com youtube.com linkedin.com bsky.app mastodon.social discord.com "
        "groups.google.com zhihu.com tieba.baidu.com gutefrage.net".split()
    ),
    "vendor": frozenset(
        "amazon.com amazon.co.jp amazon.co.uk amazon.de amazon.fr ebay.com etsy.com aliexpress.com alibaba.com "
        "walmart.com bestbuy.com rakuten.co.jp kakaku.com shopping.yahoo.co.jp yodobashi.com apps.apple.com "
        "play.google.com store.steampowered.com".split()
    ),
}
_NATURES: dict[str, SourceNature] = {host: nature for nature, hosts in _HOSTS.items() for host in hosts}
_AUTHORITY = re.compile(r"(?:gov|gob|gouv|govt|mil)\.[a-z]{2}")
_SCHOOL = re.compile(r"(?:ac|edu)\.[a-z]{2}")
_PARTS: tuple[tuple[SourceNature, re.Pattern[str]], ...] = (
    ("forum", re.compile(r"(?:forums?|discuss|discourse|community|bbs|answers)")),
    ("vendor", re.compile(r"(?:shop|store|buy|pricing)")),
    ("news", re.compile(r"(?:news|press)")),
)
_PATHS: tuple[tuple[SourceNature, re.Pattern[str]], ...] = (
    ("forum", re.compile(r"/(?:forums?|threads?|viewtopic|showthread|discussions?|community/t|t/[\w-]+/\d)\b")),
    ("vendor", re.compile(r"/(?:pricing|plans|products?|shop|store|buy|cart|checkout)(?:[/.]|$)")),
    (
        "news",
        re.compile(
            r"/(?:news|articles?|press)/(?:.{0,200}/)?(?:19|20)\d\d[/-]?[01]\d\b|/(?:19|20)\d\d/[01]?\d/[0-3]?\d/"
        ),
    ),
)


def nature_of(url: str) -> SourceNature:
    """Who speaks at an address, by its host and path alone; `other` when these do not tell.

    The longest known end of the host decides, then its first part and the path. Where anybody may write, whatever the
    subject, is a forum.

    >>> [nature_of(f"https://{rest}") for rest in ("www.soumu.go.jp/a", "pubmed.ncbi.nlm.nih.gov/1", "x.org/y")]
    ['official', 'academic', 'other']
    """
    try:
        parts = urlsplit(url.strip())
        host, path = (parts.hostname or "").rstrip("."), unquote(parts.path).lower()
    except ValueError:
        return "other"
    names = host.split(".")
    for at in range(len(names)):
        end = ".".join(names[at:]).removesuffix(".localhost")  # a site of this machine is what it is called
        if nature := _NATURES.get(end):
            return nature
        if _AUTHORITY.fullmatch(end):
            return "official"
        if _SCHOOL.fullmatch(end):
            return "academic"
    for nature, pattern in _PARTS:
        if len(names) > 2 and pattern.fullmatch(names[0]):
            return nature
    return next((nature for nature, pattern in _PATHS if pattern.search(path)), "other")
