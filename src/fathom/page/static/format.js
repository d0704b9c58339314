/** Figures, times and sizes as people of the chosen language write them. */

import { locale, t } from "/assets/words.js";

const made = new Map();
function formatter(kind, options) {
  const key = JSON.stringify([kind.name, locale(), options]);
  if (!made.has(key)) made.set(key, new kind(locale(), options));
  return made.get(key);
}

export const count = (number) => formatter(Intl.NumberFormat, {}).format(number);

/** A part of a whole from 0 to 1, in hundredths. */
export const share = (part) => formatter(Intl.NumberFormat, { style: "percent" }).format(part);

/** A figure that is an estimate: with two digits that count. */
export const roughly = (number) => count(Number(number.toPrecision(2)));

/** `1, 2 and 3`. */
export const listed = (items) => formatter(Intl.ListFormat, { type: "conjunction" }).format(items.map(String));

/** US dollars, with as many digits as a small sum needs. */
export function money(dollars) {
  const digits = dollars > 0 && dollars < 0.1 ? 3 : 2;
  return formatter(Intl.NumberFormat, { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol", minimumFractionDigits: digits, maximumFractionDigits: digits }).format(dollars);
}

/** `7 s`, `2:05` or `1:02:05`. */
export function duration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return t("seconds", { n: whole });
  const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

/** A moment: the time alone when it is of today. */
export function moment(iso) {
  const date = new Date(iso);
  const today = date.toDateString() === new Date().toDateString();
  const thisYear = date.getFullYear() === new Date().getFullYear();
  const day = today ? {} : { day: "numeric", month: "short", ...(thisYear ? {} : { year: "numeric" }) };
  return formatter(Intl.DateTimeFormat, { ...day, hour: "numeric", minute: "2-digit" }).format(date);
}

/** A moment of a day that is known: the time alone. */
export const clock = (iso) => formatter(Intl.DateTimeFormat, { hour: "numeric", minute: "2-digit" }).format(new Date(iso));

/** The day of a moment: today, yesterday, or its date. */
export function day(iso) {
  const [date, today] = [new Date(iso), new Date()];
  const midnight = (each) => Date.UTC(each.getFullYear(), each.getMonth(), each.getDate()) / 86_400_000;
  const ago = midnight(date) - midnight(today);
  if (ago >= -1) return formatter(Intl.RelativeTimeFormat, { numeric: "auto" }).format(ago, "day");
  const year = date.getFullYear() === today.getFullYear() ? {} : { year: "numeric" };
  return formatter(Intl.DateTimeFormat, { weekday: "long", day: "numeric", month: "long", ...year }).format(date);
}

export function bytes(number) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"];
  const power = Math.min(Math.floor(Math.log10(Math.max(number, 1)) / 3), units.length - 1);
  const unitDisplay = power ? "short" : "long"; // in short, one byte and eight are both "byte"
  return formatter(Intl.NumberFormat, { style: "unit", unit: units[power], unitDisplay, maximumFractionDigits: 1 }).format(number / 1_000 ** power);
}

/** The statuses of a checked sentence, each with its mark; those behind `supported` are shown as weak. */
export const VERDICTS = { quoted: "❞", supported: "✓", partial: "◐", unsupported: "✕", contradicted: "≠", unjudged: "○" };
