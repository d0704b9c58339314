"""Wishes are told from what is asked; what is in doubt is asked."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from fathom.languages.packs import packs
from fathom.languages.wishes import Ear, hear, may_wish
from tests.support.patterns import fault_of

TODAY = "2026-11-27"

WISHES: list[tuple[str, str, dict[str, Any]]] = [
    (
        "How does a pump work, in five bullet points, for a manager who knows no SQL, not longer than 200 words, "
        "beyond popular practices like journaling, only since 2020, in Japan, in German?",
        "How does a pump work?",
        {
            "form": "bullets",
            "audience": "a manager who knows no SQL",
            "lengths": [{"most": 5, "unit": "items"}, {"most": 200, "unit": "words"}],
            "exclusions": ["journaling"],
            "since": "2020-01-01",
            "region": "Japan",
            "language": "de",
        },
    ),
    (
        "Explain to a beginner how DNS works. Two sentences max.",
        "how DNS works.",
        {"audience": "a beginner", "lengths": [{"most": 2, "unit": "sentences"}]},
    ),
    ("Compare the two tariffs in a table", "Compare the two tariffs", {"form": "table"}),
    ("Could you give me a timeline of the floods?", "the floods?", {"form": "timeline"}),
    ("For my 10-year-old: why is the sky blue?", "why is the sky blue?", {"audience": "my 10-year-old"}),
    (
        "Which tariff is cheapest? Keep it formal, under 80 words, and do not mention the old provider.",
        "Which tariff is cheapest?",
        {"tone": "formal", "lengths": [{"most": 80, "unit": "words"}], "exclusions": ["old provider"]},
    ),
    (
        "What did the council decide, from 2021 to 2023 only",
        "What did the council decide",
        {"since": "2021-01-01", "until": "2024-01-01"},
    ),
    (
        "I need an executive summary for the board on the outage in May.",
        "the outage in May.",
        {"form": "executive_summary", "audience": "the board"},
    ),
    (
        "How is the tray emptied? Two sentences, without the warranty.",
        "How is the tray emptied?",
        {"lengths": [{"most": 2, "unit": "sentences"}], "exclusions": ["warranty"]},
    ),
    (
        "Which storms hit the coast? Nothing before 2015, as a table",
        "Which storms hit the coast?",
        {"form": "table", "since": "2015-01-01"},
    ),
    ("Which storms hit the coast? Nothing older than 2015.", "Which storms hit the coast?", {"since": "2015-01-01"}),
    ("Which plants need shade? I only care about Scotland.", "Which plants need shade?", {"region": "Scotland"}),
    (
        "電子レンジの仕組みを初心者向けに表で、300字以内で。電気代の話は除いて",
        "電子レンジの仕組み。",
        {
            "form": "table",
            "audience": "初心者",
            "lengths": [{"most": 300, "unit": "characters"}],
            "exclusions": ["電気代"],
        },
    ),
    (
        "2020年以降に限って、料金の改定を年表で示してください。",
        "料金の改定。",
        {"form": "timeline", "since": "2020-01-01"},
    ),
    ("英語で答えてください。会費はいくらですか。", "会費はいくらですか。", {"language": "en"}),
    (
        "敬語で、有給休暇の取り方を簡潔に説明してください。",
        "有給休暇の取り方。",
        {"form": "brief", "tone": "敬語"},
    ),
    ("補助金の制度を教えてください。日本国内だけでいいです", "補助金の制度を教えてください。", {"region": "日本国内"}),
    (
        "Wie kündige ich den Vertrag? Bitte in drei Stichpunkten, auf Englisch.",
        "Wie kündige ich den Vertrag?",
        {"form": "bullets", "lengths": [{"most": 3, "unit": "items"}], "language": "en"},
    ),
    (
        "Comment résilier le contrat ? En 100 mots maximum, sous forme de tableau.",
        "Comment résilier le contrat ?",
        {"form": "table", "lengths": [{"most": 100, "unit": "words"}]},
    ),
]

IN_OTHER_WORDS = [
    (
        "How does the heat pump defrost itself? Keep it to 80 words, it has to fit on a sticker.",
        "How does the heat pump defrost itself?",
        "at most: 80 words",
    ),
    (
        "Which forms do I need for the car registration? Just give me a checklist I can print.",
        "Which forms do I need for the car registration?",
        "form: bullets",
    ),
    (
        "what happened to the roof between March and June - in date order please",
        "what happened to the roof between March and June",
        "form: timeline",
    ),
    (
        "Can you sum up the rental agreement for my flatmate who hardly speaks English, in simple words",
        "Can you sum up the rental agreement",
        "for: my flatmate who hardly speaks English; tone: simple",
    ),
    (
        "Why was the site down? I have to explain it to our CEO, so nothing technical and half a page at most.",
        "Why was the site down?",
        "form: brief; at most: 200 words; for: our CEO; tone: nothing technical",
    ),
    (
        "How do the two boilers differ? A side by side table would be great.",
        "How do the two boilers differ?",
        "form: table",
    ),
    (
        "I'm a complete beginner. How do I set up the router? Max 10 steps please",
        "How do I set up the router?",
        "at most: 10 items; for: a complete beginner",
    ),
    (
        "tell me about the history of the club, but only from 1990 onwards, and skip the football section",
        "tell me about the history of the club",
        "without: football; from: 1990-01-01",
    ),
    (
        "what are the rules for parking? answer in no more than three lines",
        "what are the rules for parking?",
        "at most: 3 sentences",
    ),
    (
        "Give me the gist of the maintenance contract in 50 words or fewer.",
        "the maintenance contract.",
        "form: brief; at most: 50 words",
    ),
    (
        "ELI5: how does the thermostat know when to switch off?",
        "how does the thermostat know when to switch off?",
        "for: ELI5",
    ),
    (
        "What does the policy say about overtime? For the works council, formal tone, one A4 page.",
        "What does the policy say about overtime?",
        "form: brief; at most: 400 words; for: the works council; tone: formal",
    ),
    (
        "How can I keep slugs off the lettuce without the usual beer trap tips? 6 ideas tops",
        "How can I keep slugs off the lettuce?",
        "at most: 6 items; without: usual beer trap",
    ),
    (
        "I'd love a short overview of our energy costs, year by year, leaving out the garage.",
        "our energy costs.",
        "form: brief; without: garage",
    ),
    (
        "List the deadlines for the grant application in a table with the dates, please.",
        "List the deadlines for the grant application.",
        "form: table",
    ),
    (
        "Which of the suppliers delivers on Saturdays? One-liner is fine.",
        "Which of the suppliers delivers on Saturdays?",
        "at most: 1 sentences",
    ),
    (
        "What changed in the travel rules? Just the essentials, no jargon.",
        "What changed in the travel rules?",
        "form: brief; tone: no jargon",
    ),
    (
        "Our new apprentice will read this: what must be done before the oven is switched on?",
        "what must be done before the oven is switched on?",
        "for: Our new apprentice",
    ),
    (
        "What are the opening hours in winter? In German, if you can.",
        "What are the opening hours in winter?",
        "language: de",
    ),
    (
        "How do I prune the apple tree? Please don't use lists, I'd rather have it as flowing text.",
        "How do I prune the apple tree?",
        "form: paragraphs",
    ),
    (
        "How did membership develop? Nothing before 2015 please, and as a timeline.",
        "How did membership develop?",
        "form: timeline; from: 2015-01-01",
    ),
    (
        "is the deposit refundable, yes or no, two sentences and I don't care about the exceptions",
        "is the deposit refundable, yes or no",
        "at most: 2 sentences; without: exceptions",
    ),
    (
        "Explain in plain English why the premium went up, and keep it under a hundred words.",
        "why the premium went up.",
        "at most: 100 words; tone: plain",
    ),
    (
        "Which fees apply to accounts in Austria only? Bullets, five max.",
        "Which fees apply to accounts in Austria only?",
        "form: bullets; at most: 5 items",
    ),
    (
        "What did the inspector find? Summarise it so that the tenants can understand it.",
        "What did the inspector find?",
        "for: the tenants",
    ),
    (
        "I need to brief the board tomorrow. Decision memo on whether to replace the lift, please.",
        "I need to brief the board tomorrow. whether to replace the lift.",
        "form: decision brief",
    ),
    (
        "Do a lit review on noise in open offices, sources since 2018 only.",
        "noise in open offices.",
        "form: literature review; from: 2018-01-01",
    ),
    (
        "給湯器の凍結を防ぐにはどうすればいいですか。3行でお願いします",
        "給湯器の凍結を防ぐにはどうすればいいですか。",
        "at most: 3 sentences",
    ),
    ("図書館の貸出ルールを小学生にもわかる言葉で教えて", "図書館の貸出ルール", "for: 小学生"),
    (
        "去年の総会で決まったことを、箇条書きで5つ以内にまとめてください",
        "去年の総会で決まったこと",
        "form: bullets; at most: 5 items",
    ),
    (
        "新しい複合機の使い方を知りたいです。パソコンに詳しくない父にも分かるように、できるだけ短く",
        "新しい複合機の使い方を知りたいです。",
        "form: brief; for: パソコンに詳しくない父",
    ),
    ("A社とB社の見積もりの違いは?表にしてもらえると助かります", "A社とB社の見積もりの違いは?", "form: table"),
    (
        "退職の手続きを時系列で並べてください。健康保険の話は抜きで",
        "退職の手続き。",
        "form: timeline; without: 健康保険",
    ),
    ("フランス語で返事をください。駐車場は何時まで使えますか", "駐車場は何時まで使えますか", "language: fr"),
    (
        "有給休暇は何日もらえますか?100字程度でざっくり",
        "有給休暇は何日もらえますか?",
        "form: brief; at most: 100 characters",
    ),
    ("町内会の歴史を年表形式で。1990年以降だけで結構です", "町内会の歴史。", "form: timeline; from: 1990-01-01"),
    (
        "保育園の持ち物リスト、印刷して冷蔵庫に貼るのでチェックリスト形式でお願いします",
        "保育園の持ち物リスト",
        "form: bullets",
    ),
    (
        "このサーバー障害の原因を社長に報告するので、専門用語なしで200文字以内で説明して",
        "このサーバー障害の原因",
        "at most: 200 characters; for: 社長; tone: 専門用語なし",
    ),
    (
        "電気料金はなぜ上がったのですか。東京だけで大丈夫です。英語でお願いします",
        "電気料金はなぜ上がったのですか。",
        "language: en; region: 東京",
    ),
    ("契約更新の条件を要点だけ教えてください", "契約更新の条件", "form: brief"),
    (
        "ストーブの点検方法は?初めて使う人向けに、やさしい言葉で",
        "ストーブの点検方法は?",
        "for: 初めて使う人; tone: やさしい",
    ),
    (
        "エグゼクティブサマリーとして、今年度の監査結果をまとめてください",
        "今年度の監査結果をまとめてください",
        "form: executive summary",
    ),
    (
        "ボイラーの交換をすべきか、理事会用の判断資料がほしいです",
        "ボイラーの交換をすべきか",
        "form: decision brief; for: 理事会",
    ),
    ("結論だけ一文で。保証は転居後も有効ですか", "保証は転居後も有効ですか", "form: brief; at most: 1 sentences"),
    (
        "健康診断で再検査になったらどうする?中学生に説明するつもりで",
        "健康診断で再検査になったらどうする?",
        "for: 中学生",
    ),
    ("予防接種の副反応について、文献レビュー風にまとめてほしい", "予防接種の副反応について", "form: literature review"),
    (
        "ゴミの分別で間違えやすいものは何ですか?(多くても7つ)",
        "ゴミの分別で間違えやすいものは何ですか?",
        "at most: 7 items",
    ),
    (
        "退会の方法を教えてください。丁寧な口調で、会員さんに送るメールに使います",
        "退会の方法を教えてください。",
        "tone: 丁寧",
    ),
    (
        "私は初心者なので、かみ砕いて説明してください。株式の配当とは何ですか",
        "株式の配当とは何ですか",
        "for: 初心者; tone: かみ砕いて",
    ),
    (
        "2020年から2022年の間だけに絞って、事故の件数を教えて",
        "事故の件数を教えて",
        "from: 2020-01-01; before: 2023-01-01",
    ),
    (
        "断熱リフォームの補助金について、北海道のみ、表形式で",
        "断熱リフォームの補助金について",
        "form: table; region: 北海道",
    ),
    ("冷蔵庫の霜取りのやり方を4ステップ以内で", "冷蔵庫の霜取りのやり方", "at most: 4 items"),
    (
        "会議室の予約方法、新入社員に配る資料にするので敬語でお願いします",
        "会議室の予約方法",
        "for: 新入社員; tone: 敬語",
    ),
    ("なぜ水道代が高いのか、ひとことで教えて", "なぜ水道代が高いのか", "form: brief"),
    (
        "How does my dad reset his banking password? Write it for him, step by step, no foreign words please.",
        "How does my dad reset his banking password?",
        "for: him; tone: no foreign words",
    ),
    (
        "Need a timeline of everything that happened with the leak in flat 3, from january 2024 on, for our lawyer",
        "everything that happened with the leak in flat 3",
        "form: timeline; for: our lawyer; from: 2024-01-01",
    ),
    (
        "How does the pension scheme work - explain it as you would to a school leaver",
        "How does the pension scheme work",
        "for: a school leaver",
    ),
    (
        "Compare solar and wind for a small farm. Max. one page, tabular.",
        "Compare solar and wind for a small farm.",
        "form: table; at most: 400 words",
    ),
    (
        "Which herbs survive frost? Limit the answer to Northern Ireland.",
        "Which herbs survive frost?",
        "region: Northern Ireland",
    ),
    ("Give me three key takeaways from the annual report.", "the annual report.", "form: bullets; at most: 3 items"),
    (
        "Summarize the minutes from May in roughly 60-80 words, French please",
        "Summarize the minutes from May",
        "at most: 80 words; language: fr",
    ),
    (
        "Could you outline the complaints procedure in bullet form, excluding anything about court?",
        "Could you outline the complaints procedure?",
        "form: bullets; without: anything about court",
    ),
    (
        "What's the process for adopting a dog? Not more than 8 bullet points, and please don't bother with fees.",
        "What's the process for adopting a dog?",
        "form: bullets; at most: 8 items; without: fees",
    ),
    (
        "Tell me how composting works. Audience: primary school kids. Tone: fun.",
        "Tell me how composting works.",
        "for: primary school kids; tone: Tone: fun",
    ),
    (
        "why did sales drop in Q3? management wants an executive summary - 150 words is the limit",
        "why did sales drop in Q3?",
        "form: executive summary; at most: 150 words",
    ),
    ("How do I claim the allowance? (short answer please)", "How do I claim the allowance?", "form: brief"),
    ("How do I claim the allowance? Keep your answer brief.", "How do I claim the allowance?", "form: brief"),
    (
        "How was the bridge financed? From 2010 to 2020 only, everything else is irrelevant.",
        "How was the bridge financed?",
        "from: 2010-01-01; before: 2021-01-01",
    ),
    (
        "I'm preparing a decision paper for the parish council: should we buy or lease the van?",
        "should we buy or lease the van?",
        "form: decision brief; for: the parish council",
    ),
    (
        "Whats the deal with the new parking permits, in a nutshell?",
        "Whats the deal with the new parking permits?",
        "form: brief",
    ),
    (
        "What must volunteers know about first aid? Make it a poster-style list, 7 points tops, friendly tone.",
        "What must volunteers know about first aid?",
        "form: bullets; at most: 7 items; tone: friendly",
    ),
    ("Which invoices are overdue? As short as possible.", "Which invoices are overdue?", "form: brief"),
    (
        "Write up how the merger went for someone who joined last week, no more than two paragraphs.",
        "Write up how the merger went.",
        "form: paragraphs; at most: 10 sentences; for: someone who joined last week",
    ),
    (
        "Please answer in 3 bullets: what changed in the new statutes?",
        "what changed in the new statutes?",
        "form: bullets; at most: 3 items",
    ),
    (
        "How safe is the playground equipment? Without going into insurance matters, half a page.",
        "How safe is the playground equipment?",
        "form: brief; at most: 200 words; without: insurance matters",
    ),
    (
        "What's new in version 5? Only stuff since last year, newest first.",
        "What's new in version 5?",
        "form: timeline; from: 2025-01-01",
    ),
    (
        "Does the landlord have to repaint? Please be concise and formal as I'll paste it into a letter.",
        "Does the landlord have to repaint?",
        "form: brief; tone: formal",
    ),
    ("In layman's terms, what is a reverse mortgage?", "what is a reverse mortgage?", "tone: layman's"),
    (
        "引っ越しの手続きでやることを全部、表にまとめて。電気とガスは除く",
        "引っ越しの手続きでやることを全部。",
        "form: table; without: 電気, ガス",
    ),
    ("このマンションの修繕履歴を古い順に並べてほしい", "このマンションの修繕履歴", "form: timeline"),
    (
        "火災報知器が鳴ったらどうすればいいか、外国人の住民にも分かるやさしい日本語で、5行以内で",
        "火災報知器が鳴ったらどうすればいいか",
        "at most: 5 sentences; for: 外国人の住民; tone: やさしい",
    ),
    (
        "値上げの理由を知りたい(140字以内、ですます調)",
        "値上げの理由を知りたい",
        "at most: 140 characters; tone: ですます調",
    ),
    ("水漏れの時の連絡先は？答えだけ短くお願い", "水漏れの時の連絡先は？", "form: brief"),
    ("スペイン語で要約してください。避難所の開設手順について", "避難所の開設手順について", "form: brief; language: es"),
    (
        "部長への説明用に、昨年度の売上が落ちた理由を3点に絞って教えてください",
        "昨年度の売上が落ちた理由",
        "at most: 3 items; for: 部長",
    ),
    (
        "台所の排水溝の掃除の仕方。おばあちゃんでも読めるように、カタカナを使わずに",
        "台所の排水溝の掃除の仕方。",
        "for: おばあちゃん; tone: カタカナを使わず",
    ),
    ("犬の登録はどうする？専門用語は避けて、なるべく簡単に説明して", "犬の登録はどうする？", "tone: 専門用語は避けて"),
    ("契約書の変更点を比較表で。値段のことは書かなくていいです", "契約書の変更点。", "form: table; without: 値段"),
    (
        "祭りの準備で去年困ったことを教えて。時系列じゃなくて項目別の箇条書きがいい",
        "祭りの準備で去年困ったことを教えて。",
        "form: bullets",
    ),
    (
        "夜間の救急の受診方法を、小さい子を持つ親向けに、300字前後で",
        "夜間の救急の受診方法",
        "at most: 300 characters; for: 小さい子を持つ親",
    ),
    ("給与明細の見方を教えてください。新卒の社員が対象です", "給与明細の見方を教えてください。", "for: 新卒の社員"),
    ("ソフトの入れ方を英語で説明してほしいです。同僚が日本語を読めないので", "ソフトの入れ方。", "language: en"),
    ("欧州の事例に限定して、カーシェアの失敗例を教えてください", "カーシェアの失敗例を教えてください", "region: 欧州"),
    ("退職金はいくら？概算でいいので一言で", "退職金はいくら？", "at most: 1 sentences"),
    ("庭木の剪定時期、一覧表希望", "庭木の剪定時期", "form: table"),
    ("健康診断の結果の読み方を、中学生レベルの言葉で", "健康診断の結果の読み方", "for: 中学生"),
    (
        "保険の見直しについて、メリットとデメリットを表形式で、各3つまで",
        "保険の見直しについて、メリットとデメリット",
        "form: table; at most: 3 items",
    ),
    (
        "大家さんに渡す文書なので丁寧語で。雨漏りの修理は誰が払うのですか",
        "雨漏りの修理は誰が払うのですか",
        "for: 大家さん; tone: 丁寧語",
    ),
    (
        "プリンターのエラーE02の直し方を教えてください。電源の入れ直し以外でお願いします",
        "プリンターのエラーE02の直し方を教えてください。",
        "without: 電源の入れ直し",
    ),
    ("ドイツ語でお願いします。ごみの分別はどうなっていますか", "ごみの分別はどうなっていますか", "language: de"),
    (
        "Pls summarise in under 5 sentences how the insurance claim for the shed went",
        "how the insurance claim for the shed went",
        "at most: 5 sentences",
    ),
    (
        "Could I get an overview table of all the courses that start in spring?",
        "all the courses that start in spring?",
        "form: table",
    ),
    (
        "Why do leaves change colour? Answer for a seven year old.",
        "Why do leaves change colour?",
        "for: a seven year old",
    ),
    (
        "I want to know how the voting works, explained to a newcomer, without the legal bits.",
        "I want to know how the voting works.",
        "for: a newcomer; without: legal",
    ),
    (
        "Give me a chronological account of the flooding, no older than 2010.",
        "the flooding.",
        "form: timeline; from: 2010-01-01",
    ),
    (
        "How is the chimney swept? Text only, no lists, around 150 words.",
        "How is the chimney swept?",
        "form: paragraphs; at most: 150 words",
    ),
    (
        "Which subsidies exist for e-bikes? I'm only interested in Bavaria and I need it as bullet points for a slide.",
        "Which subsidies exist for e-bikes?",
        "form: bullets; region: Bavaria",
    ),
    (
        "Is it worth joining the union? Management summary, one page, leave politics aside.",
        "Is it worth joining the union?",
        "form: executive summary; at most: 400 words; without: politics",
    ),
    (
        "What is known about the old mill? From 1950 until 1980 please, ordered by year.",
        "What is known about the old mill?",
        "form: timeline; from: 1950-01-01; before: 1981-01-01",
    ),
    (
        "How do I apply for leave? In Portuguese, for our cleaner.",
        "How do I apply for leave?",
        "for: our cleaner; language: pt",
    ),
    (
        "Summarise the findings on teen sleep as a literature review. Exclude studies on animals.",
        "Summarise the findings on teen sleep.",
        "form: literature review; without: studies on animals",
    ),
    (
        "how much did we spend on repairs - just a one line answer",
        "how much did we spend on repairs",
        "at most: 1 sentences",
    ),
    (
        "Our board meets on Monday and wants a decision brief: should we extend the contract with the caterer?",
        "should we extend the contract with the caterer?",
        "form: decision brief",
    ),
    ("What's the gist of chapter 4? Very brief please!", "chapter 4?", "form: brief"),
    (
        "Write in a friendly tone: what should guests know about the sauna?",
        "what should guests know about the sauna?",
        "tone: friendly",
    ),
    (
        "Explain how the alarm is armed, in easy English, for residents whose first language isn't English.",
        "Explain how the alarm is armed.",
        "for: residents whose first language isn't English; tone: easy",
    ),
    (
        "what to do with old paint? skip everything about aerosols. three bullets tops",
        "what to do with old paint?",
        "form: bullets; at most: 3 items; without: everything about aerosols",
    ),
    (
        "I need this for a customer: how long does delivery take? polite wording, two sentences.",
        "how long does delivery take?",
        "at most: 2 sentences; for: a customer; tone: polite",
    ),
    (
        "When was the hall renovated? dates in a timeline if possible, but nothing after 2005.",
        "When was the hall renovated?",
        "form: timeline; before: 2006-01-01",
    ),
    ("Short and sweet: who pays for the broken window?", "who pays for the broken window?", "form: brief"),
    (
        "How do tariffs affect the price of steel? European sources only, 200 words maximum.",
        "How do tariffs affect the price of steel?",
        "at most: 200 words; region: European",
    ),
    (
        "As a decision memo for the head teacher: tablets or laptops for year 7?",
        "tablets or laptops for year 7?",
        "form: decision brief; for: the head teacher",
    ),
    (
        "How did the merger come about? Tell it in two paragraphs without numbers.",
        "How did the merger come about?",
        "form: paragraphs; at most: 10 sentences; without: numbers",
    ),
    (
        "Keep the language simple, I'm not an expert. What does the survey of the roof say?",
        "What does the survey of the roof say?",
        "for: not an expert; tone: simple",
    ),
    (
        "What are the pros and cons of a heat pump, side by side",
        "What are the pros and cons of a heat pump",
        "form: table",
    ),
    (
        "雨の日の遠足はどうなりますか。保護者に配るプリント用に、やわらかい文章で200字くらい",
        "雨の日の遠足はどうなりますか。",
        "at most: 200 characters; for: 保護者; tone: やわらかい",
    ),
    (
        "マニュアルの第三章の内容を小学五年生でも理解できるように説明してもらえますか",
        "マニュアルの第三章の内容",
        "for: 小学五年生",
    ),
    (
        "ポイントを4つに絞って、町内会のルールを教えてください。",
        "町内会のルールを教えてください。",
        "form: bullets; at most: 4 items",
    ),
    ("火災保険と地震保険はどう違う？比較表がほしい", "火災保険と地震保険はどう違う？", "form: table"),
    (
        "社内報に載せるので、です・ます調で、創立の経緯を400字以内でまとめて",
        "創立の経緯",
        "at most: 400 characters; tone: です・ます調",
    ),
    ("育休の取り方を要約してください。長さは3文まで", "育休の取り方。", "form: brief; at most: 3 sentences"),
    (
        "会議の決定事項だけを箇条書きで列挙してください。雑談は省略",
        "会議の決定事項だけ。",
        "form: bullets; without: 雑談",
    ),
    ("中国語で回答をお願いします。診療時間はいつですか", "診療時間はいつですか", "language: zh"),
    (
        "この薬の副作用について、医療の知識がない人にも分かるように教えて",
        "この薬の副作用について",
        "for: 医療の知識がない人",
    ),
    (
        "取締役会に出す意思決定用のメモとして、工場移転の是非をまとめてください",
        "工場移転の是非をまとめてください",
        "form: decision brief; for: 取締役会",
    ),
    ("入会方法を教えて(英語で、簡潔に)", "入会方法を教えて", "form: brief; language: en"),
    ("防災倉庫の中身を表にしてください。食料以外", "防災倉庫の中身。", "form: table; without: 食料"),
    (
        "返品の条件は？お客様への返信に使うので丁寧な表現で、3行程度",
        "返品の条件は？",
        "at most: 3 sentences; tone: 丁寧",
    ),
    (
        "住宅ローン控除の仕組みを、専門用語を使わないで、できれば図や表なしの文章で",
        "住宅ローン控除の仕組み",
        "form: paragraphs; tone: 専門用語を使わないで",
    ),
    ("東北地方に限って、桜の名所を5か所教えてください", "桜の名所", "at most: 5 items; region: 東北地方"),
    (
        "決算の概要をエグゼクティブサマリー形式で、1ページ以内に収めてください",
        "決算の概要",
        "form: executive summary; at most: 1,000 characters",
    ),
    (
        "ペットの飼育ルールを教えてください。新しい入居者さんが読みます",
        "ペットの飼育ルールを教えてください。",
        "for: 新しい入居者さん",
    ),
    ("インフルエンザの出席停止期間は何日？ひと言でいいよ", "インフルエンザの出席停止期間は何日？", "form: brief"),
    (
        "高齢の両親に見せたいので、大きな項目ごとに箇条書きにしてもらえますか。防犯対策について",
        "防犯対策について",
        "form: bullets; for: 高齢の両親",
    ),
    (
        "睡眠と学力の関係について文献レビューをして。2018年以降のものに限る",
        "睡眠と学力の関係について。",
        "form: literature review; from: 2018-01-01",
    ),
    ("水道の開栓手続き、かんたんに、100文字で！", "水道の開栓手続き！", "at most: 100 characters; tone: かんたん"),
    (
        "なぜ送料が上がった？営業の新人に説明できるように、要点3つで",
        "なぜ送料が上がった？",
        "form: bullets; at most: 3 items; for: 営業の新人",
    ),
    ("ロボット掃除機の手入れの手順を番号付きリストで", "ロボット掃除機の手入れの手順", "form: bullets"),
    (
        "運動会の雨天時の対応を、ドイツ人のお母さんのためにドイツ語で",
        "運動会の雨天時の対応",
        "for: ドイツ人のお母さん; language: de",
    ),
    (
        "共有スペースの使い方について。くだけた感じで、長くならないように",
        "共有スペースの使い方について。",
        "form: brief; tone: くだけた",
    ),
    (
        "2022年度のみで、苦情の件数と内容を一覧にしてください",
        "苦情の件数と内容",
        "form: bullets; from: 2022-04-01; before: 2023-04-01",
    ),
    (
        "賞与の計算方法を教えてください、社会保険の部分は省いて構いません",
        "賞与の計算方法を教えてください",
        "without: 社会保険",
    ),
    (
        "Who may use the laundry? Your answer must not be longer than 40 words, and I want it in Turkish.",
        "Who may use the laundry?",
        "at most: 40 words; language: tr",
    ),
    (
        "How does the pump start? No wiring diagrams, they only confuse me",
        "How does the pump start?",
        "without: wiring diagrams",
    ),
    (
        "Which faults were reported? Ignore anything before 2019 or later than 2021.",
        "Which faults were reported?",
        "from: 2019-01-01; before: 2022-01-01",
    ),
    (
        "Is the oven still under warranty? Yes or no and one sentence why.",
        "Is the oven still under warranty?",
        "at most: 1 sentences",
    ),
    (
        "Our Dutch is hopeless so English only, thanks. What does the contract say about pets?",
        "Our Dutch is hopeless. What does the contract say about pets?",
        "language: en",
    ),
    (
        "When was the roof repaired? (short! fewer than ninety words)",
        "When was the roof repaired?",
        "form: brief; at most: 90 words",
    ),
    (
        "The board votes tomorrow, so I want something they can decide on: should we lease the van?",
        "The board votes tomorrow, should we lease the van?",
        "form: decision brief",
    ),
    (
        "How did the prices move? Month by month since January 2025",
        "How did the prices move?",
        "form: timeline; from: 2025-01-01",
    ),
    (
        "In the manner of a literature review, sober and academic in style, what is known about noise?",
        "what is known about noise?",
        "form: literature review; tone: sober and academic",
    ),
    (
        "修理の経緯を教えて。令和6年に入ってからの分だけでいいので、古いものから順に並べてください",
        "修理の経緯を教えて。",
        "form: timeline; from: 2024-01-01",
    ),
    (
        "会費は何に使われますか。回答は5段落に分けて、トルコ語でお願いします",
        "会費は何に使われますか。",
        "form: paragraphs; at most: 25 sentences; language: tr",
    ),
    (
        "規約のどこが変わったのか新旧対照表にしてもらえますか。",
        "規約のどこが変わったのか。",
        "form: table",
    ),
]

TOPICS = [
    "I keep my recipes in a table with five columns. How do I sort them?",
    "The text is limited to 140 characters. Can it be changed?",
    "My essay must have 500 words. How are quotations counted?",
    "We keep measurements in one huge table. When is splitting it worthwhile?",
    "The list should be sorted by date. How do I do that in Calc?",
    "Which driver did not score less than 7 points?",
    "Your form must have at least 300 words: what may they be about?",
    "表に入力した日付がずれるので困っています。どう直せばいいですか",
    "How do I write an executive summary?",
    "How to write a table of contents",
    "Write a table of contents for the manual",
    "List the steps to insert a row in a table",
    "How do I format headings, bullet points, and tables in Word?",
    "In the shell, how do I get the result shown as a table with column headings?",
    "How do I make git log list only commits since 2020, one line each, leaving out merges",
    "How many words may the abstract have?",
    "In grep, how do I search recursively, ignore case, and print line numbers?",
    "What are good chess openings for beginners?",
    "What is the right dose, for children?",
    "How many people live in Japan?",
    "What changed since 2020?",
    "How do I say good night in German?",
    "Which plants grow only in Germany?",
    "Besides Anna and Bert, who has a key?",
    "Please dig deep into certificate renewal, and leave nothing out.",
    "表の作り方を教えてください",
    "箇条書きと表の使い分けは何ですか",
    "年表に載っている出来事は何ですか",
    "300字以内で書く作文のルールは何ですか",
    "初心者向けの本はどれですか",
    "概要、背景、課題を教えてください",
    "英語で書かれた資料はありますか",
    "歯を抜いた日に、お風呂に入っても大丈夫ですか。",
    "何を保存し、何を除外し、どんな点に注意すべきですか。",
    "法人向けに、どんなプランがありますか",
    "Welche Tabelle zeigt die Preise?",
    "How do I insert a table in five columns?",
    "Which of the bullet points in the memo is wrong?",
    "What is the maximum length of an abstract in words?",
    "Can I pay the bill in three instalments at most?",
    "How do I limit a field to 200 characters?",
    "What does the timeline of the project look like?",
    "Is there a book for children who do not speak English?",
    "Which courses are suitable for beginners?",
    "What can I cook for my grandmother who is diabetic?",
    "How do I bake bread without yeast?",
    "What do I need apart from the passport to board the ferry?",
    "How do I write a decision memo for the board?",
    "Which trains run only since 2020?",
    "Does the machine show messages in German?",
    "Who translated the manual into Spanish?",
    "How should a letter to our members be worded, formal or friendly?",
    "What is a literature review?",
    "Where is the table with the bus times?",
    "How can I export my contacts as a table?",
    "What does the rule say about notices of no more than 100 words?",
    "Why may nobody speak in the library, and who checks it?",
    "What happens if I don't mention the accident to the insurer?",
    "What is the rule on skipping the first payment?",
    "Which parts of the contract apply only in Scotland?",
    "How do children understand time?",
    "Who is on the board, and since when?",
    "What are the five points of the safety briefing?",
    "Explain the difference between a list and a table",
    "Give me the number of members who are over 60",
    "Can you tell me which pages are in French?",
    "How short must the answer to a complaint be, in words?",
    "Is it true that the notice must be in plain language?",
    "What is the short version of the fire drill called?",
    "What are the two most common mistakes?",
    "What should a new colleague who has never used the oven do first?",
    "Which events took place in chronological order in the hearing?",
    "What must be left out of the recycling bin, and why?",
    "年表はどこにありますか",
    "会議の資料は英語で大丈夫ですか",
    "箇条書きで書くときの注意点は何ですか",
    "表で管理している備品は何ですか",
    "作文は何文字以内で書けばいいですか",
    "英語で契約書を作る方法を教えて",
    "300字で自己紹介を書くコツは",
    "子ども向けの講座はいつありますか",
    "初心者でもできる家庭菜園の始め方を教えて",
    "日本国内だけで使える割引は何ですか",
    "土日以外で予約できる日はいつですか",
    "集会所の使用料は会員以外はいくらですか。",
    "時系列で並べ替えるにはどうすればいいですか",
    "一覧表はどこで手に入りますか",
    "丁寧な言葉で断るにはどう言えばいいですか",
    "2020年以降に入会した人の会費はいくらですか",
    "要点を短くまとめるコツを教えてください",
    "母に渡す書類は何ですか",
    "一人何冊まで、何日間借りられますか",
    "文献調査の方法を教えてください",
    "役員向けの研修はいつですか",
    "申請書は日本語で書いてもいいですか",
    "外国人にもわかる案内板はどこに設置されていますか",
    "届け出は3行でいいですか",
    "専門家に説明するときの資料は誰が作りますか",
    "メールは敬語で書くべきですか",
    "印刷して貼るポスターの大きさは?",
    "表に載っていない料金はいくらですか",
]


@pytest.mark.parametrize(("question", "topic", "wished"), WISHES)
def test_a_wish_is_heard_and_taken_out_of_what_is_asked(question: str, topic: str, wished: dict[str, Any]) -> None:
    heard = hear(question, today=TODAY)

    told = heard.model_dump(mode="json", exclude_defaults=True, exclude={"topic", "wishes"})
    assert (heard.topic, told) == (topic, wished)
    assert all(wish in question for wish in heard.wishes) and heard.wishes
    assert may_wish(question)


@pytest.mark.parametrize(("question", "topic", "told"), IN_OTHER_WORDS)
def test_a_wish_is_heard_in_whatever_words(question: str, topic: str, told: str) -> None:
    heard = hear(question, today=TODAY)

    assert (heard.topic, heard.told) == (topic, told)


@pytest.mark.parametrize("question", TOPICS)
def test_what_is_asked_is_no_wish(question: str) -> None:
    heard = hear(question, today=TODAY)

    assert (heard.topic, heard.wishes) == (question, ())


@pytest.mark.parametrize("question", ["In two sentences, please.", "箇条書きで", "", "?!", "a" * 3_000])
def test_a_question_of_nothing_but_wishes_stays_what_it_is(question: str) -> None:
    assert hear(question, today=TODAY).topic == question


def test_what_is_wanted_by_tomorrow_is_about_any_day() -> None:
    heard = hear("How do we switch it off? I need a one-page brief on it for our team by tomorrow", today=TODAY)

    assert (heard.since, heard.until, heard.form, heard.audience) == ("", "", "brief", "our team")


@pytest.mark.parametrize("code", [each.code for each in packs() if "wishes" in each.tables])
def test_no_phrase_of_a_wish_takes_exponential_time(code: str) -> None:
    ear = Ear(next(each for each in packs() if each.code == code))
    for phrase in ear.phrases:
        assert fault_of(phrase.pattern.pattern, re.IGNORECASE, exponential_only=True) is None, phrase.kind


def test_a_long_question_is_heard_in_no_time() -> None:
    for said in (
        "in a table, for a manager who knows no ",
        "for my boss who ",
        "に渡すか",
        "の表を",
        "とても",
        "in an ",
    ):
        for tail in ("?", "、" * 90, " and" * 40):
            began = time.perf_counter()
            hear(f"{said * (1_600 // len(said))}{tail}")
            assert time.perf_counter() - began < 10, (said, tail)
