"""Sentences that a page says of itself: who wrote it and when, what to click, subscribe to or agree to."""

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
    # what to do with the page
    r"(?:share|tweet|pin|print|e-?mail|bookmark|save|like)\s(?:this|the|our)\s(?:article|post|page|story|video|link)\b.*",
    r"(?:share|tweet|pin|e-?mail)\s(?:(?:it|this)\s)?(?:on|via|to|with)\s(?:facebook|twitter|x|linkedin|reddit|whatsapp"
    r"|pinterest|mastodon|bluesky|social|friends|e-?mail)\b.*",
    rf"(?:share|tweet|save|print)\sthis{_END}",
    r"follow\s(?:us|me|the\sauthor|@\w+)\b.*",
    rf"(?:read|see|view|show|load|learn|find\sout|discover|watch|explore)\s(?:more|all|next)(?:{_END}|[:.…].*"
    r"|\s(?:about|on|stories|articles|posts|news|comments|replies)\b.*)",
    r"(?:read|see|view|get)\sthe\s(?:(?:full|original|complete|whole)\s(?:article|story|post|report|text)|rest\sof)\b.*",
    r"(?:continue|keep)\sreading\b.*",
    r"click\s(?:here|below|the\s(?:button|link)|on\sthe\s(?:link|button))\b.*",
    r"(?:skip|jump)\sto\s(?:the\s|main\s)*(?:content|navigation|search|main)\b.*",
    rf"back\sto\s(?:the\s)?top{_END}",
    r"(?:improve|edit|flag)\sthis\s(?:answer|question|page)\b.*",
    r"download\s(?:our|the)\s(?:free\s)?(?:app|e-?book|guide)\b.*",
    r"(?:please\s)?(?:enable|turn\son|activate)\sjavascript\b.*",
    r"you\s(?:need|have)\sto\senable\sjavascript\b.*",
    r"(?:please\s)?(?:verify|confirm|prove)\s(?:that\s)?you\sare\s(?:a\s)?(?:human|not\sa\srobot)\b.*",
    r"(?:was|is|did)\sthis\s(?:page|article|answer|post)\b.{0,20}\b(?:help|helpful|useful)\b.*",
    # what else is there to read
    r"(?:read\salso|also\sread|related(?:\s(?:articles?|posts?|stor(?:y|ies)|reading|content|links|topics))?"
    r"|recommended(?:\sfor\syou|\sreading)?|you\s(?:may|might)\salso\s(?:like|enjoy|be\sinterested\sin)"
    r"|most\s(?:read|popular)|trending(?:\snow)?|editor'?s\spick|(?:next|previous)\s(?:article|post)|in\sthis\sarticle"
    rf"|more\s(?:from|in)\s(?:this|the|our)\s(?:author|section|topic|series|site))(?:{_END}|\s*[:|›»].*)",
    # who wrote it, and when
    r"(?:(?:article|story|text|words|photos?|images?|pictures?|video|report|reporting|review|post)\s)?"
    r"(?:written|posted|published|authored|submitted|contributed|reviewed|edited|updated|answered|asked|photographed)"
    rf"\sby:?\s{_PERSON}(?:{_END}|\s*[,|·•–—-].*|\s(?:on|at|in)\s.*|\s*{_DATE}.*)",
    rf"(?:(?:photo|image|picture|story|text|words|video)s?\s)?by:?\s{_PERSON}\s*"
    rf"(?:{_END}|[|·•–—].{{0,80}}$|,\s(?-i:[A-Z][\w'’-]+)(?:\s[\w'’-]+){{0,3}}{_END}|,?\s(?:on\s)?{_DATE}.*)",
    r"(?:(?:first|last|originally)\s)?(?:published|posted|updated|modified|revised|reviewed|edited|created|answered|asked"
    rf"|date|accessed|retrieved|last\supdate)(?:\s(?:on|at|in|date))*\W*(?:\w+day,?\s)?{_DATE}(?:{_END}|\W+\D?.{{0,40}}$)",
    r"\d+\s?-?\s?min(?:ute)?s?\sread\b.*",
    r"(?:estimated\s)?reading\stime\b.*",
    r"(?:photo|image|picture|illustration)s?(?:\s(?:credits?|courtesy|source))?\s?(?::|\bby\b|\bcourtesy\b).*",
    r"(?:credits?|source|caption)\s?:.*",
    r"about\sthe\sauthor\b.*",
    r"(?:posted|filed|tagged)\s(?:in|under|with|as)\s?:?\s.{0,80}",
    r"(?:tags?|categor(?:y|ies)|topics?)\s?:\s.{0,120}",
    # what to subscribe to, and what others have said
    r"(?:please\s)?(?:sign\sup|subscribe|register|join|log\sin|sign\sin)\b(?=.*\b(?:newsletters?|mailing\slist|inbox|e-?mails"
    r"|updates|alerts|free|today|subscribers?|thousands|readers|our|us|to\s(?:comment|reply|continue|post|read))\b).*",
    r"(?:please\s)?(?:enter\syour\se-?mail|create\s(?:an?|your)\s(?:free\s)?account)\b.*",
    rf"(?:subscribe|sign\sup|log\sin|sign\sin)(?:\s(?:now|today|here))?{_END}",
    r"get\s(?:the|our)\s(?:latest|best|newest|weekly|daily|free)\b.*\b(?:inbox|e-?mail|newsletter|delivered|updates)\b.*",
    r"(?:delivered|straight)\sto\syour\sinbox\b.*",
    r"(?:you\scan\s)?unsubscribe\s(?:at\s)?any\s?time\b.*",
    r"your\se-?mail\s(?:address\s)?will\s(?:not|never)\sbe\b.*",
    r"required\sfields\sare\smarked\b.*",
    rf"(?:leave|add|post|write)\s(?:a|your)\s(?:comment|reply)(?:{_END}|\s(?:below|here|to|on)\b.*)",
    rf"\d[\d.,]*[km]?\s(?:comments?|repl(?:y|ies)|views?|shares?|likes?|followers?|upvotes?|votes?|answers?){_END}",
    r"already\s(?:a\s(?:member|subscriber)|have\san\saccount|subscribed)\b.*",
    r"thanks?\s(?:you\s)?for\s(?:reading|subscribing|visiting|your\sinterest)\b.*",
    # what to agree to, whose it is, and who pays
    r"(?:we|our\s(?:site|website|partners)|this\swebsite|this\spage)(?:\sand\sour\spartners)?\suses?\scookies\b.*",
    rf"this\ssite\suses\scookies(?:{_END}|\sto\s(?:improve|give|offer|provide|ensure|personali[sz]e|analy[sz]e)\b.*)",
    r"by\s(?:continuing|using\s(?:this|our)\s(?:web)?site|browsing|clicking|signing\sup|subscribing|submitting"
    r"|registering)\b.*\byou\b.*\b(?:agree|accept|consent|acknowledge)\b.*",
    rf"(?:accept|reject|allow|manage|decline)\s(?:all\s)?(?:cookies|preferences|choices){_END}",
    rf"cookie\s(?:policy|settings|preferences|notice){_END}",
    r"(?:privacy\spolicy|terms\s(?:of\s(?:service|use)|and\sconditions)|contact\sus|about\sus|careers|site\s?map|imprint)"
    rf"(?:\W+(?:privacy|terms|cookies?|contact|about|careers|imprint)\b.*)?{_END}",
    r"(?:copyright|\(c\)|©)\s(?:\(c\)|©|\d{4}|by\b|all\srights).*",
    r"(?:.{0,80}\W)?all\srights\sreserved\b.{0,80}",
    rf"(?:advertisement|sponsored|promoted|ad\schoices)(?:{_END}|\s(?:content|post|by)\b.*)",
    r"(?:this\s(?:article|post|page|site)|we)\s(?:may|might)\s(?:contain|include|earn|receive)\b.*\b(?:affiliate"
    r"|commissions?)\b.*",
    r"as\san?\samazon\sassociate\b.*",
    # what to buy
    r"(?:discover|explore|order|buy|shop|book|get|grab|try|enjoy|join|start|unlock|hurry|visit|download|upgrade)\b.*!",
    r"(?:order|buy|shop|book|hurry)\b.*\b(?:save|free|discounts?|sale)\b.*",
    r"(?:free|fast|next-day)\s(?:delivery|shipping)\b.*",
)
_ENGLISH = re.compile(rf"^\W*(?:{'|'.join(_ENGLISH_WAYS)})$", re.IGNORECASE)
_JAPANESE_WAYS = (
    # what to do with the page
    r"(?:この(?:記事|ページ|投稿)を)?(?:シェア|ツイート|共有|ブックマーク|保存)(?:する|しよう|してください|お願いします)?",
    r"(?:公式)?(?:X|Twitter|Facebook|Instagram|LINE|YouTube|SNS)(?:で|を|に|も)?(?:シェア|フォロー|共有|友だち追加"
    r"|チャンネル登録).*",
    r"フォロー(?:する|してください|お願いします)|いいね.{0,10}",
    r"(?:記事の?)?続き(?:を|は)(?:読む|見る|こちら).*|(?:もっと|さらに)(?:見る|読む|詳しく)|全文を?(?:読む|表示).*",
    r"(?:詳しく|詳細|くわしく)は?こちら.*|(?:ここ|こちら)を?クリック.*|.{0,12}一覧(?:へ|に戻る|を見る|はこちら)",
    r"(?:ページ(?:の)?)?(?:トップ|先頭)(?:へ|に)戻る|目次(?:へ戻る)?",
    r".{0,10}JavaScript.{0,6}(?:有効|オン)に.{0,20}|(?:お使い|ご利用)のブラウザ.{0,60}",
    r".{0,12}(?:役に立ち|参考になり)ましたか|最後までお読みいただき.*|この記事は約?\d+分で読め.*",
    # what else is there to read
    r"(?:関連|人気|おすすめ|注目|最新|前の|次の|新着)(?:記事|ニュース|の記事|リンク|コンテンツ)(?:はこちら|[:：].*)?",
    r"(?:あわせて|合わせて)読みたい.*",
    # who wrote it, and when
    r"(?:公開|投稿|更新|最終更新|掲載|配信|作成|初出)(?:日時?)?\s*[:：]?\s*\d{4}[年/.-].{0,30}",
    r"\d{4}[年/.-]\s*\d{1,2}[月/.-]\s*\d{1,2}日?\s*(?:\d{1,2}[:：時].{0,6})?\s*(?:公開|更新|投稿|掲載|配信)?",
    r"(?:取材・文|文・写真|文|執筆|著者|筆者|撮影|写真|編集|監修|翻訳|ライター|提供|出典|引用元|画像)者?\s*[:：/／].{0,60}",
    r"この記事を書いた人.*|(?:著者|執筆者|監修者)(?:について|紹介|プロフィール).*",
    r"(?:カテゴリー?|タグ|キーワード)\s*[:：].{0,60}",
    # what to subscribe to, and to agree to; whose it is, and who pays
    r".{0,30}(?:メルマガ|メールマガジン|ニュースレター).{0,20}(?:登録|購読|受け取|申し込).{0,20}",
    r".{0,12}(?:無料(?:会員)?登録|会員登録|新規登録|ログイン)(?:する|して(?:コメント|続き|閲覧|ください).{0,20}|はこちら|が必要です)?",
    r".{0,20}購読(?:する|はこちら|してください)|コメントを?(?:する|残す|書く|投稿する|見る).{0,10}",
    r"(?:\(C\)|©|Copyright).*|.{0,40}(?:無断(?:転載|複製|使用)|転載を禁|All Rights Reserved).{0,30}",
    r"(?:当|本|この)(?:ウェブ)?サイト(?:では|は).{0,40}(?:Cookie|クッキー).{0,60}",
    r".{0,20}(?:Cookie|クッキー).{0,20}(?:同意|許可)(?:する|し(?:た|ます)).{0,20}",
    r".{0,12}(?:プライバシーポリシー|利用規約|個人情報保護方針)(?:に同意.{0,20}|はこちら)?",
    r".{0,20}(?:今すぐ(?:購入|申し?込|予約|登録|ダウンロード)|送料無料).{0,20}",
    r"スポンサー(?:ド)?リンク|広告|PR|AD|.{0,30}アフィリエイト(?:リンク|広告)を(?:含|利用).{0,12}",
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
