// Draws a map: its lanes, the steps in them, and the ways between.

import { shape } from "../element.js";
import { BOX, boxOf, curveOf, laneAt, placeOfWords, sizeOf } from "./layout.js";

/** onSelect: called with a step. onFocus: called with the box of one that has the focus. */
export function drawMap(world, map, { onSelect, onFocus }) {
  const { height } = sizeOf(map);
  const byId = new Map(map.steps.map((step) => [step.id, step]));
  const ways = map.ways.map((way) => drawWay(way, byId.get(way.from), byId.get(way.to)));
  const steps = map.steps.map((step) => drawStep(step, onSelect, onFocus));
  world.replaceChildren(
    ...map.lanes.map((name, lane) => drawLane(name, lane, height)),
    ...ways.map(({ line }) => line),
    ...ways.flatMap(({ words }) => words),
    ...steps,
  );
}

/** Mark a step as the chosen one, and the ways that touch it. */
export function mark(world, id) {
  for (const step of world.querySelectorAll(".step")) {
    step.setAttribute("aria-pressed", String(step.dataset.id === id));
  }
  for (const way of world.querySelectorAll("[data-from]")) {
    way.classList.toggle("near", way.dataset.from === id || way.dataset.to === id);
  }
}

function drawLane(name, lane, height) {
  const { x, width } = laneAt(lane);
  return shape(
    "g",
    { class: "lane" },
    shape("rect", { x: x + 6, y: 8, width: width - 12, height: height - 16, rx: 14 }),
    text(name, { x: x + width / 2, y: 40 }),
  );
}

function drawWay(way, from, to) {
  const [start, ...rest] = curveOf(from, to);
  const ends = { "data-from": way.from, "data-to": way.to };
  const d = `M${start}C${rest.join(" ")}`;
  const line = shape("path", { class: "way", d, "marker-end": "url(#arrow)", ...ends });
  const words = way.when ? [text(way.when, { class: "when", ...placeOfWords(from, to), ...ends })] : [];
  return { line, words };
}

function drawStep(step, onSelect, onFocus) {
  const { x, y, middle, centre } = boxOf(step);
  const box = shape(
    "g",
    { class: `step ${step.kind}`, role: "button", tabindex: 0, "aria-pressed": "false" },
    shape("rect", { x, y, ...BOX, rx: step.kind === "end" ? BOX.height / 2 : 10 }),
    text(step.title, { x: middle, y: centre + 5 }),
  );
  box.dataset.id = step.id;
  box.addEventListener("click", () => onSelect(step));
  box.addEventListener("focus", () => onFocus({ x, y, ...BOX }));
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onSelect(step);
  });
  return box;
}

function text(words, attributes) {
  const made = shape("text", attributes);
  made.textContent = words;
  return made;
}
