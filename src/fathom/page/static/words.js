/** The words of the page, in the language that is chosen: one table each, with the same keys. */

import { keep, kept } from "/assets/kept.js";

const loads = { en: () => import("/assets/words/en.js"), ja: () => import("/assets/words/ja.js") };
const [tables, lines] = [{}, {}]; // those that were wanted so far
const KEPT = "fathom.language";

/** Every language of the page, by its own name. */
export const languages = { en: "English", ja: "日本語" };

let chosen = first();
await load(chosen);

async function load(code) {
  ({ [code]: tables[code], said: lines[code] } = await loads[code]());
}

function first() {
  const known = kept(KEPT);
  if (Object.hasOwn(loads, known)) return known;
  const asked = globalThis.navigator?.languages ?? [];
  return asked.map((tag) => tag.slice(0, 2).toLowerCase()).find((code) => loads[code]) ?? "en";
}

export const language = () => chosen;

/** A line of the service, which speaks English, in the language that is chosen; nothing where that has no words for it. */
export function told(line) {
  const found = (lines[chosen] ?? [[/$/, ""]]).find(([pattern]) => pattern.test(line));
  return found ? line.replace(...found) : "";
}

/** The tag by which figures and dates are written: the reader's own variety of the language, when they have one. */
export const locale = () => globalThis.navigator?.languages?.find((tag) => tag.slice(0, 2).toLowerCase() === chosen) ?? chosen;

/** Speak another language from now on, on the next visit too. */
export async function change(code) {
  await load(code);
  chosen = code;
  document.documentElement.lang = code;
  keep(KEPT, code);
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
