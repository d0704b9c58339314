/** The words of the page: one table per language, with the same keys. */

const en = {
  "skip": "Skip to the content",
  "home": "Fathom: ask a question",
  "loading": "Loading…",
  "try_again": "Try again",
  "never_mind": "Never mind",
  "show_all": "Show all {n}",
  "seconds": "{n} s",
  "of": "{done} of {all}",

  "nav.label": "Pages",
  "nav.ask": "Ask",
  "nav.history": "History",
  "nav.library": "Library",

  "login.title": "Who is it?",
  "login.text": "This service lets in whoever has a token. Ask whoever runs it for one.",
  "login.token": "Token",
  "login.send": "Sign in",

  "problem.offline": "You are offline. What is under way goes on without you.",
  "problem.unreachable": "The service does not answer.",
  "problem.signed_out": "You are not signed in.",
  "problem.wrong_token": "This token is not valid here.",
  "problem.forbidden": "That is not allowed here.",
  "problem.not_found": "There is nothing here.",
  "problem.conflict": "That cannot be done as things stand.",
  "problem.too_large": "That is too large.",
  "problem.refused": "The service does not accept that.",
  "problem.too_many": "Too many requests.",
  "problem.away": "The service cannot do that at the moment.",
  "problem.fault": "The service has made a mistake.",
  "problem.wait": { one: "Try again in a second.", other: "Try again in {n} seconds." },

  "ask.title": "What do you want to know?",
  "ask.placeholder": "Ask in any language. A question may have several parts.",
  "ask.about": "Fathom reads your documents, and the web if you let it, and writes a report in which every claim is cited and every citation checked.",
  "ask.empty": "It has nothing to read yet: drop some documents anywhere on this page.",
  "ask.empty.web": "It has no documents yet: drop some anywhere on this page, or let it search the web.",
  "ask.example.one": "What do the documents say about “{one}”?",
  "ask.example.two": "How do “{one}” and “{two}” relate?",

  "effort": "Effort",
  "effort.quick": "Quick",
  "effort.quick.says": "One look at up to three parts, half a page.",
  "effort.standard": "Standard",
  "effort.standard.says": "Goes deeper where answers are weak, two pages.",
  "effort.deep": "Deep",
  "effort.deep.says": "More parts, several points of view, four pages.",

  "sources": "Sources",
  "sources.documents": "Documents",
  "sources.count": { one: "{n} in the library", other: "{n} in the library" },
  "sources.only": { one: "Only the one added here", other: "Only the {n} added here" },
  "sources.web": "Web",
  "sources.by": "searched by {names}",
  "sources.dataset": "dataset",
  "sources.server": "dataset of a server",
  "kb": "Knowledge base",
  "web.hosts": "Only some hosts, or not some",
  "web.allow": "Read only these hosts",
  "web.deny": "Never read these",

  "budget": "Budget",
  "budget.minutes": "Minutes",
  "budget.calls": "Calls",
  "budget.dollars": "US dollars",
  "budget.tokens": "Tokens",
  "budget.none": "no limit",

  "method": "Method",
  "mode.auto": "As the question asks",
  "mode.auto.says": "Several parts are researched apart.",
  "mode.simple": "In one piece",
  "mode.simple.says": "The question is answered as it stands.",
  "mode.hierarchical": "By a plan",
  "mode.hierarchical.says": "The question is taken apart in any case.",
  "extractive": "Without a model",
  "extractive.says": "Sentences are taken from the sources as they stand; {model} is asked nothing.",

  "files.add": "Add files",
  "files.choose": "Choose files",
  "files.or_drop": "or drop them anywhere on this page",
  "files.drop": "Drop to add",
  "files.label": "Added files",
  "files.sending": "Uploading",
  "files.waiting": "waits",
  "files.added": "added",
  "files.unchanged": "already there",
  "files.refused": "refused",
  "files.failed": "not uploaded",
  "files.unknown": "cannot be read",
  "files.too_large": "too large",
  "files.take_off": "Take {name} off the list",

  "estimate": "Estimate",
  "estimating": "Estimating…",
  "start": "Start",
  "start.plan": "Start this plan",
  "starting": "Starting…",

  "prospect": "What would be researched",
  "plan.after": { one: "after {which}", other: "after {which}" },
  "takes": "What it would take",
  "takes.calls": "Calls",
  "takes.model_calls": "of them to models",
  "takes.tokens": "Tokens",
  "takes.searches": "Web searches",
  "takes.pages": "Web pages",
  "takes.cost": "Cost",
  "takes.nothing": "nothing",
  "leaves": "What would leave this machine",
  "leaves.nothing": "Nothing.",
  "leaves.unpriced": "Its price is not known.",

  "status.planned": "Planned",
  "status.queued": "Waiting",
  "status.running": "Researching",
  "status.completed": "Completed",
  "status.partial": "Incomplete",
  "status.failed": "Failed",

  "subtask.pending": "Waiting",
  "subtask.researching": "Researching",
  "subtask.completed": "Done",
  "subtask.partial": "Incomplete",
  "subtask.failed": "Failed",
  "subtask.skipped": "Skipped",
  "subtask.removed": "Dropped",

  "phase.starting": "starting",
  "phase.planning": "making a plan",
  "phase.asking": "asking {where}",
  "phase.researching": "reading and judging",
  "phase.researching_again": "researching weak answers again",
  "phase.outlining": "deciding what to tell where",
  "phase.writing": "writing the report",
  "phase.writing_section": "writing “{heading}”",
  "phase.checking": "checking the citations",
  "phase.stopping": "writing up what was found",
  "phase.completed": "done",
  "phase.partial": "done, not all of it",
  "phase.failed": "failed",

  "doing.nothing": "",
  "doing.waits": "",
  "doing.starts": "starts",
  "doing.asks": "asks {where}",
  "doing.reads": { one: "reads {n} passage", other: "reads {n} passages" },
  "doing.turns": "turn {turn}: {what}",
  "doing.scans": { one: "reads {n} record", other: "reads {n} records" },
  "doing.scans_of": "reads records: {n} of {all}",
  "doing.judges": "judges the depth",
  "doing.superficial": "is superficial so far",
  "doing.adequate": "is adequate",
  "doing.deep": "is deep",
  "doing.asks_further": "asks further",
  "doing.goes_deeper": "goes deeper",
  "doing.sums_up": "sums up",
  "doing.waits_for": { one: "waits for {n} deeper question", other: "waits for {n} deeper questions" },

  "count.findings": { one: "{n} finding", other: "{n} findings" },
  "took": "took {time}",

  "spent.calls": "Calls",
  "spent.tokens": "Tokens",
  "spent.cost": "Cost",
  "spent.time": "Time",
  "spent.pages": "Pages read",
  "spent.datasets": "Datasets",
  "spent.records": "Records read",

  "queued.says": "It begins as soon as there is a place; nobody has to wait here for it.",
  "partial.says": "The report is incomplete:",
  "reconnecting": "reconnecting…",
  "stop": "Stop",
  "stopping": "Stopping…",
  "stop.title": "Stop here?",
  "stop.text": "What is under way is finished, and a report is written from what was found. You can go on later.",
  "resume": "Go on",
  "resume.text": "It goes on where it stopped. Give it more where a limit has bound it.",
  "ask_again": "Ask again",
  "delete": "Delete",
  "delete.title": "Delete this research?",
  "delete.text": "Its report and everything that only it has read are removed. This cannot be undone.",
  "delete.one": "Delete “{what}”",
  "report": "The report",
  "report.ready": "The report is ready",
  "story": "How it was researched",

  "subtasks": "Plan",
  "subtasks.none": "The plan is being made.",
  "findings": "Findings",
  "findings.none": "Nothing found yet.",
  "findings.below": "Its findings stand with its deeper questions, or in the report.",
  "draft": "Draft",
  "draft.sections": { one: "{n} section", other: "{n} sections" },
  "draft.unchecked": "Not checked yet: the report may say it otherwise.",
  "revisions": { one: "The plan was looked at again once", other: "The plan was looked at again {n} times" },
  "revision.accepted": "Changed.",
  "revision.declined": "Kept.",
  "revision.added": "Added: {what}",
  "revision.removed": { one: "{n} question dropped", other: "{n} questions dropped" },
  "troubles": { one: "{n} trouble on the way", other: "{n} troubles on the way" },
  "trouble.page": "A page could not be read:",
  "trouble.stood_in": "“{call}” was answered without the model.",
  "trouble.left_out": { one: "“{call}”: {n} item, the least relevant, was left out for want of room.", other: "“{call}”: {n} items, the least relevant, were left out for want of room." },
  "trouble.call_failed": "“{call}” failed.",

  "history.search": "Search the questions",
  "history.status": "Status",
  "history.all": "All",
  "history.empty": "Nothing was asked yet.",
  "history.nothing": "No question is like that.",
  "history.older": "Older",

  "library.search": "Search the documents",
  "library.nothing": "Nothing in the documents matches.",
  "library.empty": "There are no documents yet. Add some, and every question can draw on them.",
  "datasets": "Datasets",
  "datasets.empty": "None yet. Tables become datasets when they are added: {kinds}",
  "remove": "Remove",
  "remove.one": "Remove {name}",
  "remove.title": "Remove this?",
  "remove.text": "“{name}” can then no longer be asked. Reports that cite it stay as they are.",
};

const ja = {
  "skip": "本文へ移動",
  "home": "Fathom：質問する",
  "loading": "読み込み中…",
  "try_again": "もう一度試す",
  "never_mind": "やめておく",
  "show_all": "{n}件すべてを表示",
  "seconds": "{n}秒",
  "of": "{all}件中{done}件",

  "nav.label": "ページ",
  "nav.ask": "質問",
  "nav.history": "履歴",
  "nav.library": "資料",

  "login.title": "サインイン",
  "login.text": "このサービスにはトークンが必要です。管理者にお問い合わせください。",
  "login.token": "トークン",
  "login.send": "サインイン",

  "problem.offline": "オフラインです。実行中の調査はそのまま続きます。",
  "problem.unreachable": "サービスが応答しません。",
  "problem.signed_out": "サインインしていません。",
  "problem.wrong_token": "このトークンは使えません。",
  "problem.forbidden": "ここでは許可されていません。",
  "problem.not_found": "ここには何もありません。",
  "problem.conflict": "今の状態ではできません。",
  "problem.too_large": "大きすぎます。",
  "problem.refused": "サービスが受け付けませんでした。",
  "problem.too_many": "リクエストが多すぎます。",
  "problem.away": "サービスは今それを行えません。",
  "problem.fault": "サービスに不具合が起きました。",
  "problem.wait": "{n}秒後にもう一度お試しください。",

  "ask.title": "何を知りたいですか？",
  "ask.placeholder": "どの言語でも質問できます。いくつかの問いを含んでもかまいません。",
  "ask.about": "Fathomは、あなたの文書と、許可があればウェブを読み、すべての主張に出典を付け、その出典を確かめたレポートを書きます。",
  "ask.empty": "まだ読むものがありません。このページのどこかに文書をドロップしてください。",
  "ask.empty.web": "まだ文書がありません。このページのどこかにドロップするか、ウェブ検索を許可してください。",
  "ask.example.one": "「{one}」について文書には何が書かれていますか？",
  "ask.example.two": "「{one}」と「{two}」はどのような関係にありますか？",

  "effort": "深さ",
  "effort.quick": "手早く",
  "effort.quick.says": "三つまでの問いを一度調べ、半ページにまとめます。",
  "effort.standard": "標準",
  "effort.standard.says": "答えの弱いところを掘り下げ、二ページにまとめます。",
  "effort.deep": "深く",
  "effort.deep.says": "より多くの問いを多角的に調べ、四ページにまとめます。",

  "sources": "情報源",
  "sources.documents": "文書",
  "sources.count": "資料に{n}件",
  "sources.only": "ここで追加した{n}件だけを使う",
  "sources.web": "ウェブ",
  "sources.by": "検索：{names}",
  "sources.dataset": "データセット",
  "sources.server": "サーバーのデータセット",
  "kb": "ナレッジベース",
  "web.hosts": "読むサイトを限定・除外する",
  "web.allow": "このサイトだけを読む",
  "web.deny": "このサイトは読まない",

  "budget": "上限",
  "budget.minutes": "分",
  "budget.calls": "呼び出し回数",
  "budget.dollars": "米ドル",
  "budget.tokens": "トークン数",
  "budget.none": "なし",

  "method": "進め方",
  "mode.auto": "質問に合わせる",
  "mode.auto.says": "複数の問いがあれば分けて調べます。",
  "mode.simple": "分けずに",
  "mode.simple.says": "質問をそのまま調べます。",
  "mode.hierarchical": "計画を立てて",
  "mode.hierarchical.says": "必ず小さな問いに分けて調べます。",
  "extractive": "モデルを使わない",
  "extractive.says": "資料の文をそのまま用い、{model}には何も尋ねません。",

  "files.add": "ファイルを追加",
  "files.choose": "ファイルを選ぶ",
  "files.or_drop": "または、このページにドロップ",
  "files.drop": "ドロップして追加",
  "files.label": "追加したファイル",
  "files.sending": "アップロード中",
  "files.waiting": "待機中",
  "files.added": "追加済み",
  "files.unchanged": "登録済み",
  "files.refused": "受け付けられません",
  "files.failed": "アップロード失敗",
  "files.unknown": "読めない形式です",
  "files.too_large": "大きすぎます",
  "files.take_off": "{name}を一覧から外す",

  "estimate": "見積もる",
  "estimating": "見積もり中…",
  "start": "始める",
  "start.plan": "この計画で始める",
  "starting": "開始中…",

  "prospect": "調べる内容",
  "plan.after": "（{which}の後）",
  "takes": "必要なもの",
  "takes.calls": "呼び出し",
  "takes.model_calls": "うちモデル",
  "takes.tokens": "トークン",
  "takes.searches": "ウェブ検索",
  "takes.pages": "ウェブページ",
  "takes.cost": "費用",
  "takes.nothing": "なし",
  "leaves": "このコンピューターの外に送られるもの",
  "leaves.nothing": "何も送られません。",
  "leaves.unpriced": "料金は不明です。",

  "status.planned": "計画済み",
  "status.queued": "待機中",
  "status.running": "調査中",
  "status.completed": "完了",
  "status.partial": "未完",
  "status.failed": "失敗",

  "subtask.pending": "待機中",
  "subtask.researching": "調査中",
  "subtask.completed": "完了",
  "subtask.partial": "未完",
  "subtask.failed": "失敗",
  "subtask.skipped": "省略",
  "subtask.removed": "取りやめ",

  "phase.starting": "開始しています",
  "phase.planning": "計画を立てています",
  "phase.asking": "{where}に尋ねています",
  "phase.researching": "資料を読んでいます",
  "phase.researching_again": "弱い答えを調べ直しています",
  "phase.outlining": "構成を決めています",
  "phase.writing": "レポートを書いています",
  "phase.writing_section": "「{heading}」を書いています",
  "phase.checking": "出典を確かめています",
  "phase.stopping": "見つかったことをまとめています",
  "phase.completed": "完了",
  "phase.partial": "一部のみ完了",
  "phase.failed": "失敗",

  "doing.nothing": "",
  "doing.waits": "",
  "doing.starts": "開始",
  "doing.asks": "{where}に問い合わせ",
  "doing.reads": "{n}件の抜粋を読んでいます",
  "doing.turns": "{turn}回目：{what}",
  "doing.scans": "{n}件の記録を読んでいます",
  "doing.scans_of": "{all}件中{n}件の記録を読みました",
  "doing.judges": "深さを評価しています",
  "doing.superficial": "まだ表面的です",
  "doing.adequate": "十分です",
  "doing.deep": "深い答えです",
  "doing.asks_further": "さらに尋ねています",
  "doing.goes_deeper": "掘り下げています",
  "doing.sums_up": "まとめています",
  "doing.waits_for": "掘り下げた{n}件の問いを待っています",

  "count.findings": "発見{n}件",
  "took": "所要{time}",

  "spent.calls": "呼び出し",
  "spent.tokens": "トークン",
  "spent.cost": "費用",
  "spent.time": "時間",
  "spent.pages": "読んだページ",
  "spent.datasets": "データセット",
  "spent.records": "読んだ記録",

  "queued.says": "空きができしだい始まります。ここで待つ必要はありません。",
  "partial.says": "このレポートは未完です：",
  "reconnecting": "再接続中…",
  "stop": "停止",
  "stopping": "停止しています…",
  "stop.title": "ここで停止しますか？",
  "stop.text": "進行中の作業を終え、見つかったことからレポートを書きます。あとで続けられます。",
  "resume": "続ける",
  "resume.text": "止まったところから続けます。足りなかった上限があれば増やしてください。",
  "ask_again": "もう一度質問する",
  "delete": "削除",
  "delete.title": "この調査を削除しますか？",
  "delete.text": "レポートと、この調査だけが読んだものを削除します。元には戻せません。",
  "delete.one": "「{what}」を削除",
  "report": "レポート",
  "report.ready": "レポートができました",
  "story": "調査の経過",

  "subtasks": "計画",
  "subtasks.none": "計画を立てています。",
  "findings": "発見",
  "findings.none": "まだ何も見つかっていません。",
  "findings.below": "発見は、掘り下げた問いまたはレポートにあります。",
  "draft": "下書き",
  "draft.sections": "{n}節",
  "draft.unchecked": "まだ確認していません。レポートでは変わることがあります。",
  "revisions": "計画の見直し{n}回",
  "revision.accepted": "変更しました。",
  "revision.declined": "そのままにしました。",
  "revision.added": "追加：{what}",
  "revision.removed": "{n}件の問いを取りやめました",
  "troubles": "途中の問題{n}件",
  "trouble.page": "読めなかったページ：",
  "trouble.stood_in": "「{call}」はモデルなしで答えました。",
  "trouble.left_out": "「{call}」：関連の薄い{n}件を省きました。",
  "trouble.call_failed": "「{call}」に失敗しました。",

  "history.search": "質問を検索",
  "history.status": "状態",
  "history.all": "すべて",
  "history.empty": "まだ質問はありません。",
  "history.nothing": "該当する質問はありません。",
  "history.older": "さらに前",

  "library.search": "文書を検索",
  "library.nothing": "該当する箇所はありません。",
  "library.empty": "まだ文書がありません。追加すると、すべての質問で使えます。",
  "datasets": "データセット",
  "datasets.empty": "まだありません。表のファイルを追加するとデータセットになります：{kinds}",
  "remove": "取り除く",
  "remove.one": "{name}を取り除く",
  "remove.title": "取り除きますか？",
  "remove.text": "「{name}」は使えなくなります。すでに引用しているレポートは変わりません。",
};

const tables = { en, ja };
const KEPT = "fathom.language";

/** Every language of the page, by its own name. */
export const languages = { en: "English", ja: "日本語" };

let chosen = first();

function first() {
  const known = kept();
  if (tables[known]) return known;
  const asked = globalThis.navigator?.languages ?? [];
  return asked.map((tag) => tag.slice(0, 2).toLowerCase()).find((code) => tables[code]) ?? "en";
}

function kept() {
  try {
    return globalThis.localStorage?.getItem(KEPT);
  } catch {
    return null; // a browser may keep nothing at all
  }
}

export const language = () => chosen;

/** The tag by which figures and dates are written: the reader's own variety of the language, when they have one. */
export const locale = () => globalThis.navigator?.languages?.find((tag) => tag.slice(0, 2).toLowerCase() === chosen) ?? chosen;

/** Speak another language from now on, on the next visit too. */
export function change(code) {
  chosen = code;
  document.documentElement.lang = code;
  try {
    localStorage.setItem(KEPT, code);
  } catch {
    return; // it is then chosen anew next time
  }
}

const rules = new Map();
const numbers = new Map();
/** Made once per language: making one takes longer than using it. */
function cached(made, tag, make) {
  if (!made.has(tag)) made.set(tag, make(tag));
  return made.get(tag);
}

/**
 * The words for a key, in the language that is chosen.
 *
 * @param values what stands in the braces; `n` also chooses between one and several
 */
export function t(key, values = {}) {
  const words = tables[chosen][key];
  if (words === undefined) throw new Error(`There are no words for '${key}'.`);
  const form = typeof words === "string" ? words : (words[cached(rules, chosen, (tag) => new Intl.PluralRules(tag)).select(values.n)] ?? words.other);
  return form.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return typeof value === "number" ? cached(numbers, locale(), (tag) => new Intl.NumberFormat(tag)).format(value) : String(value ?? "");
  });
}
