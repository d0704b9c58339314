"""Sentences that a page says of itself amid its text: who wrote it and when, what to click or to subscribe to.

Banners, menus and what else stands around the text is left out where a page is read.
"""

from __future__ import annotations

import re

from fathom.text.display import word_count

LONGEST = 40
"""Words of the longest sentence that is taken for one: what is longer says something besides."""
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = (
    rf"(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}}"
    rf"|(?:\d{{1,2}}(?:st|nd|rd|th)?\s)?{_MONTH}(?:\s\d{{1,2}}(?:st|nd|rd|th)?)?,?\s(?:'?\d{{2}}|\d{{4}})"
    r"|(?:an?|\d+)\s(?:second|minute|hour|day|week|month|year)s?\sago)"
)
_PERSON = r"(?-i:[A-Z][\w.'’-]+(?:\s(?:[A-Z][\w.'’-]*|de|van|der|von|da|al|bin)){0,4})"
_END = r"\W*$"
_ENGLISH_WAYS = (
    # what to do with the page, and what else is there to read
    r"(?:share|tweet|pin|e-?mail|like)\s(?:(?:this|the|our|it)\s)?(?:(?:article|post|page|story|video)\b"
    r"|(?:on|via|to)\s(?:facebook|twitter|x|linkedin|reddit|whatsapp|pinterest|social|friends)\b).*",
    rf"(?:share|tweet|save|print)\sthis{_END}",
    r"follow\s(?:us|me|the\sauthor|@\w+)\b.*",
    rf"(?:read|see|view|show|load|learn|find\sout|discover)\s(?:more|all|next)(?:{_END}|[:.…].*"
    r"|\s(?:about|on|stories|articles|posts|news|comments|replies)\b.*)",
    r"(?:continue|keep)\sreading\b.*",
    r"click\s(?:here|below|the\s(?:button|link)|on\sthe\s(?:link|button))\b.*",
    r"(?:read\salso|also\sread|related(?:\s(?:articles?|posts?|stor(?:y|ies)|reading|content|links|topics))?"
    r"|you\s(?:may|might)\salso\s(?:like|enjoy|be\sinterested\sin)|most\s(?:read|popular)|(?:next|previous)\s(?:article|post)"
    rf"|more\s(?:from|in)\s(?:this|the|our)\s(?:author|section|topic|series|site))(?:{_END}|\s*[:|›»].*)",
    # who wrote it, and when
    r"(?:(?:article|story|text|words|photos?|images?|pictures?|video|report|reporting|review|post)\s)?"
    r"(?:written|posted|published|authored|submitted|contributed|reviewed|edited|updated|answered|asked|photographed)"
    rf"\sby:?\s{_PERSON}(?:{_END}|\s*[,|·•–—-].*|\s(?:on|at|in)\s.*|\s*{_DATE}.*)",
    rf"(?:(?:photo|image|picture|story|text|words|video)s?\s)?by:?\s{_PERSON}\s*"
    rf"(?:{_END}|[|·•–—].{{0,80}}$|,\s(?-i:[A-Z][\w'’-]+)(?:\s[\w'’-]+){{0,3}}{_END}|,?\s(?:on\s)?{_DATE}.*)",
    r"(?:(?:first|last|originally)\s)?(?:published|posted|updated|modified|revised|reviewed|edited|created|answered|asked"
    rf"|date|accessed|retrieved|last\supdate)(?:\s(?:on|at|in|date))*\W*(?:\w+day,?\s)?{_DATE}(?:{_END}|\W+\D?.{{0,40}}$)",
    r"(?:\d+\s?-?\s?min(?:ute)?s?\sread|(?:estimated\s)?reading\stime|about\sthe\sauthor)\b.*",
    r"(?:photo|image|picture|illustration)s?(?:\s(?:credits?|courtesy|source))?\s?(?::|\bby\b|\bcourtesy\b).*",
    r"(?:tags?|categor(?:y|ies)|topics?)\s?:\s.{0,120}|(?:posted|filed|tagged)\s(?:in|under|with|as)\s?:?\s.{0,80}",
    # what to subscribe to
    r"(?:please\s)?(?:sign\sup|subscribe|register|join|log\sin|sign\sin)\b(?=.*\b(?:newsletters?|mailing\slist|inbox|e-?mails"
    r"|updates|alerts|free|today|subscribers?|thousands|readers|our|us|to\s(?:comment|reply|continue|post|read))\b).*",
    r"get\s(?:the|our)\s(?:latest|best|newest|weekly|daily|free)\b.*\b(?:inbox|e-?mail|newsletter|delivered|updates)\b.*",
    rf"\d[\d.,]*[km]?\s(?:comments?|repl(?:y|ies)|views?|shares?|likes?|followers?|votes?|answers?){_END}",
    rf"(?:leave|add|post|write)\s(?:a|your)\s(?:comment|reply)(?:{_END}|\s(?:below|here|to|on)\b.*)",
    # what to buy, and notices
    r"(?:discover|explore|order|buy|shop|book|get|grab|try|enjoy|join|start|unlock|hurry|visit|download|upgrade)\b.*!",
    r"(?:order|buy|shop|book|hurry)\b.*\b(?:save|free|discounts?|sale)\b.*",
    r"(?:we\suse|this\swebsite\suses)\scookies\b.*|(?:copyright|\(c\)|©)\s\d{4}.*|.{0,80}\ball\srights\sreserved\b.{0,80}",
    r"(?:accept\sall\scookies|advertisement|sponsored(?:\scontent)?|skip\sto\s.{0,20}|back\sto\s(?:the\s)?top"
    rf"|privacy\spolicy(?:\W+terms\b.*)?){_END}",
)
_ENGLISH = re.compile(rf"^\W*(?:{'|'.join(_ENGLISH_WAYS)})$", re.IGNORECASE)
_JAPANESE_WAYS = (
    r"(?:この(?:記事|ページ|投稿)を)?(?:シェア|ツイート|共有|ブックマーク)(?:する|しよう|してください|お願いします)?",
    r"(?:X|Twitter|Facebook|Instagram|LINE|YouTube|SNS)(?:で|を|に|も)?(?:シェア|フォロー|共有|友だち追加|チャンネル登録).*",
    r"(?:記事の?)?続き(?:を|は)(?:読む|見る|こちら).*|(?:もっと|さらに)(?:見る|読む|詳しく)|全文を?(?:読む|表示).*",
    r"(?:詳しく|詳細|くわしく)は?こちら.*|(?:ここ|こちら)を?クリック.*|あわせて読みたい.*|この記事を書いた人.*",
    r"(?:関連|人気|おすすめ|注目|最新|前の|次の|新着)(?:記事|ニュース|の記事|リンク|コンテンツ)(?:はこちら|[:：].*)?",
    r"(?:公開|投稿|更新|最終更新|掲載|配信|作成|初出)(?:日時?)?\s*[:：]?\s*\d{4}[年/.-].{0,30}",
    r"\d{4}[年/.-]\s*\d{1,2}[月/.-]\s*\d{1,2}日?\s*(?:\d{1,2}[:：時].{0,6})?\s*(?:公開|更新|投稿|掲載|配信)?",
    r"(?:取材・文|文・写真|文|執筆|著者|筆者|撮影|写真|編集|監修|翻訳|ライター|提供|出典|引用元|画像)者?\s*[:：/／].{0,60}",
    r"(?:カテゴリー?|タグ|キーワード)\s*[:：].{0,60}|コメントを?(?:する|残す|書く|投稿する|見る).{0,10}",
    r".{0,30}(?:メルマガ|メールマガジン|ニュースレター).{0,20}(?:登録|購読|受け取|申し込).{0,20}",
    r".{0,12}(?:無料(?:会員)?登録|会員登録|ログイン)(?:して(?:コメント|続き|閲覧|ください).{0,20}|はこちら|が必要です)?",
    r"©.*|.{0,40}(?:無断転載|転載を禁).{0,30}|(?:当|本)サイトでは.{0,40}(?:Cookie|クッキー).{0,60}|ページ(?:の)?トップへ戻る",
    r"プライバシーポリシー|スポンサー(?:ド)?リンク|広告|PR",
)
_JAPANESE = re.compile(rf"^\W*(?:{'|'.join(_JAPANESE_WAYS)})[\s。.!！?？…»›>＞▶→]*$", re.IGNORECASE)


def is_boilerplate(claim: str) -> bool:
    """Whether a sentence says nothing of the subject of its page, but of the page itself, or of what to do there.

    >>> is_boilerplate("Published on March 3, 2024"), is_boilerplate("Published in 1998, the book made him famous.")
    (True, False)
    >>> is_boilerplate("続きを読む"), is_boilerplate("クッキーは7日後に失効します。")
    (True, False)
    """
    if word_count(claim) > LONGEST:
        return False
    claim = " ".join(claim.split())
    return bool(_ENGLISH.match(claim) or (not claim.isascii() and _JAPANESE.match(claim)))
