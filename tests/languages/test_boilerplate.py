"""What a page says of itself is never told as a finding; what it says of its subject is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.languages.boilerplate import is_boilerplate
from fathom.reasoners.extractive.extract import extract_findings
from tests.support.reasoner_pages import TIDES, extract, page

OF_THE_PAGE = [
    "Share this article on Facebook.", "Share on LinkedIn", "Share this", "Tweet this page",
    "Follow us on Twitter.", "Read more", "Read more: How tides arise", "Learn more about our products.",
    "View all comments", "Continue reading the main story", "Click here to download the report.",
    "Related articles", "You may also like:", "By Jane Doe", "By Jane Doe, Science Editor",
    "By Jane Doe | March 3, 2024", "Written by Jane van der Berg",
    "Posted by John Smith on 3 May 2021 at 10:20", "Published on March 3, 2024", "Published: 2024-03-03",
    "Last updated 3 days ago", "Updated on Monday, 3 May 2021", "Last modified: 12/05/2023 by admin",
    "5 min read", "Reading time: 5 minutes", "Photo: Getty Images", "Image courtesy of the museum",
    "Photo by Jane Doe", "Sign up for our free newsletter.",
    "Subscribe to our newsletter to get the latest tide tables in your inbox.",
    "Get the latest news delivered to your inbox every week.", "Join thousands of readers today!",
    "Please log in to comment.",
    "Leave a comment", "12 comments", "1.2k views",
    "We use cookies to improve your visit.", "This website uses cookies.",
    "Accept all cookies", "Privacy Policy | Terms of Use",
    "Copyright 2024 Tide Press", "© 2024 Tide Press", "Tide Press, all rights reserved.", "Advertisement",
    "Sponsored content", "Skip to main content", "Back to top",
    "Filed under: Oceans", "Tags: tides, moon",
    "answered Jan 3 '19 at 10:20",
    "この記事をシェアする", "Xでフォローする", "続きを読む", "もっと見る", "詳しくはこちら", "関連記事",
    "人気記事はこちら", "あわせて読みたい", "公開日：2024年3月3日", "2024年3月3日 更新",
    "最終更新日: 2023/05/12", "取材・文：山田太郎", "写真：共同通信", "メールマガジンに登録する",
    "ニュースレターの購読はこちら", "無料会員登録", "ログインしてコメントする", "© 2024 潮汐新聞社",
    "記事の無断転載を禁じます。", "当サイトではCookieを使用しています。", "プライバシーポリシー",
    "スポンサーリンク", "コメントを残す",
    "ページトップへ戻る", "タグ：潮汐、月",
]  # fmt: skip
OF_THE_SUBJECT = [
    "Published in 1998, the book made its author famous.",
    "By default the server listens on port 8080.",
    "By March 2024 the population had reached 5 million.",
    "By Moore's law the count doubles every two years.",
    "By Newton's second law, the force is proportional to the acceleration.",
    "By Ohm, current and voltage are proportional.",
    "Share the load among several servers.",
    "Share locks block writers until the transaction ends.",
    "Follow the moon: tides come later every day by about 50 minutes.",
    "Read more than one page of the file at a time to save calls.",
    "Updated rows are written to a new version of the page.",
    "Created tables belong to the user who runs the command.",
    "Subscribe to the channel with LISTEN, then wait for a notification.",
    "Register the handler before the loop is started.",
    "Sign in with the key that was created during the installation.",
    "Django uses cookies to keep the session of a user.",
    "The site uses cookies to remember who has logged in, and expires them after two weeks.",
    "Copyright law protects the expression and not the idea.",
    "Comments begin with two dashes.",
    "Photosynthesis turns light into sugar.",
    "Sources of error are rounding and drift.",
    "Source files are compiled one by one.",
    "Image processing takes about 20 ms per picture.",
    "Join conditions are evaluated before the filter.",
    "Log in as the superuser and run the script.",
    "Save the file and restart the server.",
    "Print the value to the console to see what it holds.",
    "Related tables are joined by their keys.",
    "Tags are names of commits.",
    "View definitions are stored in the catalog.",
    "Like patterns match the whole string.",
    "Learn more slowly and you forget less, as the study of 2019 found.",
    "クッキーは7日後に失効します。",
    "更新日から30日間は変更できません。",
    "広告の市場は2023年に7兆円に達した。",
    "会員登録した人は年会費として3,000円を払う。",
    "共有ロックは書き込みを妨げる。",
    "ログインに5回失敗すると、アカウントが30分間停止される。",
    "写真は1839年に発表された技術です。",
    "タグを付けると、コミットに名前が与えられる。",
    "著作権は作者の死後70年間保護される。",
]


@pytest.mark.parametrize("text", OF_THE_PAGE)
def test_what_a_page_says_of_itself_is_known(text: str) -> None:
    assert is_boilerplate(text)


@pytest.mark.parametrize("text", OF_THE_SUBJECT)
def test_what_a_page_says_of_its_subject_is_kept(text: str) -> None:
    assert not is_boilerplate(text)


def test_no_finding_is_made_of_what_a_page_says_of_itself() -> None:
    noisy = page(
        "Tides today",
        ("paragraph", "By Jane Doe, Tides Editor."),
        ("paragraph", "Published on March 3, 2024."),
        ("paragraph", "Sign up for our newsletter on tides and the moon today."),
        ("paragraph", "Spring tides come at new moon and at full moon, about 15 days apart."),
        ("paragraph", "Read more: Why tides are strongest at new moon."),
        ("paragraph", "Share this article on Facebook: When are tides strongest."),
        headings=("Tides",),
    )
    claims = [
        finding.claim for finding in extract_findings(extract("When are tides strongest?", noisy, TIDES)).findings
    ]

    assert any("15 days" in claim for claim in claims)
    assert not [claim for claim in claims if is_boilerplate(claim) or "Share" in claim or "newsletter" in claim]


@given(st.text(alphabet=st.sampled_from("by Jane Doe,|share read more 記事を続き：2024 年 ©.-\n"), max_size=400))
def test_no_text_takes_the_rules_long(text: str) -> None:
    assert is_boilerplate(text) in (True, False)
