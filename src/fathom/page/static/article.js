/** The article that the service writes: what it says, and what the page adds to it. */

import { t } from "/assets/words.js";

/** Every sentence of an article by its id: its words, how it stands to what it cites, and what that is. */
export function read(article) {
  const claims = new Map();
  for (const element of article.querySelectorAll(".claim")) {
    const { claim: id, status, words } = element.dataset;
    const sources = [...element.querySelectorAll(".ref")].map((ref) => ref.dataset.source);
    claims.set(id, { id, href: `#${element.id}`, status, text: words ?? element.querySelector(".said").textContent, sources: [...new Set(sources)] });
  }
  return claims;
}

/** Lets every figure be seen as a picture or as a table; `prefix` keeps names apart where several articles are shown. */
export function enhance(article, prefix) {
  if (prefix) rename(article, prefix);
  for (const figure of article.querySelectorAll(".exhibit")) {
    if (figure.querySelector(".picture")) figure.querySelector("figcaption").after(choice(figure));
  }
}

/** Marks in the table of contents what is read; returns what ends that. */
export function follow(article) {
  const links = [...article.querySelectorAll(".contents a")];
  const parts = links.map((link) => document.getElementById(link.getAttribute("href").slice(1))).filter(Boolean);
  if (parts.length === 0) return () => {};
  const look = () => {
    const at = parts.findLast((part) => part.getClientRects().length > 0 && part.getBoundingClientRect().top < innerHeight / 3);
    for (const link of links) {
      if (at && link.getAttribute("href") === `#${at.id}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  };
  const seen = new IntersectionObserver(look, { rootMargin: "-33% 0px -66% 0px" });
  for (const part of parts) seen.observe(part);
  return () => seen.disconnect();
}

/** What is a part of the page in an article that stands alone is a part of the article in one of several, named with its question. */
function rename(article, prefix) {
  const asked = `${prefix.slice(0, -1)}-asked`;
  for (const element of article.querySelectorAll("[id]")) element.id = prefix + element.id;
  for (const link of article.querySelectorAll('a[href^="#"]')) link.setAttribute("href", `#${prefix}${link.getAttribute("href").slice(1)}`);
  for (const part of article.querySelectorAll("section, nav, [role=region]")) {
    part.setAttribute("role", part.matches("nav") ? "none" : "group");
    if (part.matches("nav")) part.removeAttribute("aria-labelledby");
    else if (part.hasAttribute("aria-labelledby")) part.setAttribute("aria-labelledby", `${prefix}${part.getAttribute("aria-labelledby")} ${asked}`);
  }
}

/**
 * The sentence of an article that something is selected of: `{claim, words, range}`; `null` where nothing is.
 *
 * `words` is empty when the claim is that sentence: several of them stand in a passage that is quoted.
 */
export function selected(article) {
  const selection = getSelection();
  if (!selection?.rangeCount || selection.isCollapsed || !article.contains(selection.anchorNode)) return null;
  const range = selection.getRangeAt(0);
  for (const claim of article.querySelectorAll(".claim")) {
    const said = [...claim.querySelectorAll(".said")];
    const parts = said.map((each) => common(range, each)).filter((part) => part?.toString().trim());
    if (parts.length === 0) continue;
    const words = said.length === 1 ? sentencesOf(said[0], parts[0]) : ""; // the cells of a row are no sentence
    return { claim: claim.dataset.claim, words, range };
  }
  return null;
}

/** A button at each sentence that has no note to offer it, for whoever comes there by keyboard: it does `act(claim)`. */
export function offer(article, word, act) {
  for (const claim of article.querySelectorAll(".claim:not(:has(.ref), thead *)")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = word;
    button.addEventListener("click", () => act(claim.dataset.claim));
    (claim.matches("tr") ? claim.lastElementChild : claim).append(button);
  }
}

/** What of an element lies in a range. */
function common(range, element) {
  if (!range.intersectsNode(element)) return null;
  const part = document.createRange();
  part.selectNodeContents(element);
  if (range.compareBoundaryPoints(Range.START_TO_START, part) > 0) part.setStart(range.startContainer, range.startOffset);
  if (range.compareBoundaryPoints(Range.END_TO_END, part) < 0) part.setEnd(range.endContainer, range.endOffset);
  return part;
}

/** The whole sentences of an element that a part of it lies in; nothing when these are all. */
function sentencesOf(element, part) {
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(part.startContainer, part.startOffset);
  const [start, length] = [before.toString().length, part.toString().trimEnd().length];
  const all = [...new Intl.Segmenter(element.closest("[lang]")?.lang, { granularity: "sentence" }).segment(element.textContent)];
  const own = all.filter(({ index, segment }) => index < start + length && index + segment.trimEnd().length > start);
  return own.length === all.length ? "" : own.map(({ segment }) => segment).join("").trim();
}

function choice(figure) {
  const group = document.createElement("div");
  group.className = "switch";
  group.setAttribute("role", "group");
  const buttons = ["picture", "table"].map((name) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = t(`figure.${name}`);
    button.addEventListener("click", () => show(name));
    return [name, button];
  });
  function show(chosen) {
    figure.dataset.show = chosen;
    for (const [name, button] of buttons) button.setAttribute("aria-pressed", String(name === chosen));
  }
  group.append(...buttons.map(([, button]) => button));
  show("picture");
  return group;
}
