"""Pages that say nothing are refused with the reason; articles about such pages are read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.errors import NoEvidence
from fathom.pages.evidence import NeedsScripts, check

PROSE = "The tide rises and falls twice a day because the moon pulls at the sea more than the sun does. "

NOTHING = [
    ("Page not found", "Sorry, the page you are looking for does not exist. Go back to the home page.", "no such page"),
    ("404 - File Not Found | Example", "The page you requested could not be found.", "no such page"),
    ("Example", "お探しのページは見つかりませんでした。URLをご確認ください。", "no such page"),
    ("ページが見つかりません", "トップページへ戻る", "no such page"),
    ("Seite nicht gefunden", "Zur Startseite", "no such page"),
    ("Page introuvable", "Retour à l'accueil", "no such page"),
    ("Página no encontrada", "Volver al inicio", "no such page"),
    (
        "Before you continue to Search",
        "We use cookies and data to deliver services. Accept all. Reject all.",
        "consent",
    ),
    ("News", "We and our 842 partners use cookies to store information. Accept all or manage options.", "consent"),
    ("ニュース", "当サイトではCookieを使用します。すべてのCookieを受け入れる", "consent"),
    ("Nachrichten", "Bitte wählen Sie: alle Cookies akzeptieren oder Einstellungen.", "consent"),
    ("Just a moment...", "Checking your browser before accessing example.org.", "person reads"),
    ("example.org", "Verify you are human by completing the action below.", "person reads"),
    ("確認", "私はロボットではありません", "person reads"),
    ("Sign in to Example", "Email Password Forgot your password? Sign in", "signed in or paid"),
    ("A long story", PROSE * 2 + "Subscribe to continue reading. Already a subscriber? Log in.", "signed in or paid"),
    (
        "長い記事",
        "潮の満ち引きは月の引力で起こる。" * 5 + "この記事は会員限定です。続きを読むには登録が必要です。",
        "signed in",
    ),
    ("Artikel", PROSE + "Nur für Abonnenten.", "signed in or paid"),
    ("example.org", "This domain is for sale. Inquire about this domain.", "for sale"),
    ("502 Bad Gateway", "nginx/1.18.0", "error page of its server"),
    ("Welcome to nginx!", "If you see this page, the nginx web server is installed. " * 5, "error page of its server"),
    ("Example", "Error establishing a database connection", "error page of its server"),
    ("ただいまメンテナンス中です", "しばらくお待ちください", "error page of its server"),
    ("Example", "Please enable JavaScript to view this app.", "without its scripts"),
    ("アプリ", "JavaScriptを有効にしてください", "without its scripts"),
    ("Short", "Nothing to see here.", "next to no text"),
    ("Oops | Shop", "We cannot show that. It may have moved, or the link is broken. Try our store.", "next to no text"),
    ("Short", "Chapter 12 of 40", "next to no text"),
    ("短い", "何もない。", "next to no text"),
]


@pytest.mark.parametrize(("title", "text", "reason"), NOTHING)
def test_a_page_that_says_nothing_is_refused_with_the_reason(title: str, text: str, reason: str) -> None:
    with pytest.raises(NoEvidence, match=reason):
        check(text, title=title)


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("HTTP 404", "The status 404 Not Found says that the page you requested could not be found. " + PROSE * 11),
        ("Page not found: a short history of the error page", PROSE * 3),
        ("HTTP cookie", "Sites ask readers to accept all cookies before they continue. " + PROSE * 20),
        ("CAPTCHA", "A CAPTCHA asks: verify that you are human. Services solve the captcha for money. " + PROSE * 10),
        ("Paywall", "Newspapers ask readers to subscribe to continue reading. " + PROSE * 16),
        ("Domain parking", "A parked domain shows: this domain is for sale. " + PROSE * 20),
        ("How to enable JavaScript", "To enable JavaScript in a browser, open its settings. " + PROSE * 8),
        ("502 Bad Gateway: what it means for a proxy", PROSE * 3),
        ("Tides", PROSE * 2),
        ("Opening hours", "The museum is open from Tuesday to Sunday, 10 am to 5 pm. Admission is 7 euros for each."),
        ("灯台の高さ", "ノルヴィク灯台の高さは41メートルで、1887年に建てられた。入場料は300円である。"),
        (
            "潮汐",
            "潮の満ち引きは月の引力によって起こり、一日に二回くり返される。太陽の引力もこれに加わり、大潮と小潮が生まれる。",
        ),
        (
            "Cookieの仕組み",
            "Cookieを受け入れるかどうかはブラウザーで決められる。"
            + "クッキーは状態を保つための小さな文字列である。" * 40,
        ),
    ],
)
def test_an_article_is_read_also_when_it_is_about_such_pages(title: str, text: str) -> None:
    check(text, title=title)


def test_a_page_whose_scripts_make_its_text_is_told_apart_from_an_empty_one() -> None:
    with pytest.raises(NeedsScripts):
        check("", title="App", scripts=3)
    with pytest.raises(NeedsScripts):
        check("Loading", title="App", unscripted="You need to enable JavaScript to run this app.")
    with pytest.raises(NoEvidence) as refused:
        check("", title="")
    assert not isinstance(refused.value, NeedsScripts)


def test_a_stub_that_says_itself_that_it_is_not_free_is_refused() -> None:
    with pytest.raises(NoEvidence, match="paid"):
        check(PROSE * 4, title="A story", free=False)
    check(PROSE * 40, title="A story", free=False)


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_text_is_either_evidence_or_refused(text: str, title: str) -> None:
    try:
        check(text, title=title)
    except NoEvidence as error:
        assert str(error)
