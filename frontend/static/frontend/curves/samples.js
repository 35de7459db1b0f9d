// Samples as cards.

import { copy } from "./copy.js";
import { element } from "../element.js";

/** One sample. title: what stands above it. */
export function card(title, { text, junk }) {
  const button = element("button", { type: "button", class: "quiet" }, "Copy text");
  button.addEventListener("click", () => copy(button, text));
  const head = element("header", {}, element("h3", {}, title));
  if (junk) {
    const why = "Letters of other scripts, broken characters or unused tokens";
    head.append(element("span", { class: "tag", title: why }, "junk"));
  }
  head.append(button);
  const words = element("p", { class: text ? "text" : "text none" }, text || "Nothing was said.");
  return element("article", { class: "sample" }, head, words);
}

/** The answer of `/generate` as cards, after a line that says how they were drawn. */
export function cards({ mode, recipe, samples, seed }) {
  const how =
    mode === "curve" ? "Drawn along the curve." : `Drawn as the model does: ${words(recipe)}.`;
  return [
    element("p", { class: "how" }, how),
    ...samples.map((sample, i) => card(`Seed ${seed + i}`, sample)),
  ];
}

export function placeholders(count) {
  return Array.from({ length: count }, () =>
    element("div", { class: "sample waiting", ariaHidden: "true" }),
  );
}

function words({ temperature, topP, topK }) {
  return `temperature ${temperature}, top-p ${topP || "off"}, top-k ${topK || "off"}`;
}
