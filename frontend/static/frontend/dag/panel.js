// Beside the map: what it shows, or what one of its steps does.

import { element } from "../element.js";

const KINDS = { step: "Step", choice: "Decision", store: "Store", end: "Begin or end" };

export function showMap(panel, map) {
  panel.replaceChildren(
    element("h2", {}, map.title),
    element("p", {}, map.about),
    element("p", { class: "note" }, "Choose a step to see what it does, and when."),
  );
}

/** onSelect: called with a step that leads here or follows. */
export function showStep(panel, map, step, onSelect) {
  const find = (id) => map.steps.find((each) => each.id === id);
  const into = map.ways.filter(({ to }) => to === step.id);
  const out = map.ways.filter(({ from }) => from === step.id);
  panel.replaceChildren(
    element("h2", {}, step.title),
    element("p", { class: "note" }, `${KINDS[step.kind]} · ${map.lanes[step.lane]}`),
    element("p", {}, step.what),
    ...(step.else ? [element("p", {}, element("strong", {}, "Otherwise: "), step.else)] : []),
    element("p", {}, element("code", {}, step.file)),
    ...ways("Comes from", into.map(({ from, when }) => [find(from), when]), onSelect),
    ...ways("Goes on to", out.map(({ to, when }) => [find(to), when]), onSelect),
  );
}

function ways(title, steps, onSelect) {
  if (!steps.length) return [];
  const rows = steps.map(([step, when]) => {
    const button = element("button", { type: "button" }, step.title);
    button.addEventListener("click", () => onSelect(step));
    const words = when ? [element("span", { class: "note" }, when)] : [];
    return element("li", {}, button, ...words);
  });
  return [element("h3", {}, title), element("ul", {}, ...rows)];
}
