/** The article that the service writes: what it says, and what the page adds to it. */

import { t } from "/assets/words.js";

/** Every sentence of an article by its id: its words, how it stands to what it cites, and what that is. */
export function read(article) {
  const claims = new Map();
  for (const element of article.querySelectorAll(".claim")) {
    const { claim: id, status } = element.dataset;
    const sources = [...element.querySelectorAll(".ref")].map((ref) => ref.dataset.source);
    claims.set(id, { id, status, text: [...element.querySelectorAll(".said")].map((said) => said.textContent).join(" | "), sources: [...new Set(sources)] });
  }
  return claims;
}

/** Lets every figure be seen as a picture or as a table. */
export function enhance(article) {
  for (const figure of article.querySelectorAll(".exhibit")) {
    if (figure.querySelector(".picture")) figure.querySelector("figcaption").after(choice(figure));
  }
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
