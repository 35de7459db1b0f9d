// The points in numbers, which can be typed, and what the curve does between them.

import { effect, rounded, secants } from "./curve.js";
import { element } from "../element.js";
import { short } from "./scale.js";

const WORDS = { flatten: "flattens", keep: "keeps", sharpen: "sharpens", falls: "falls" };

export class Readout {
  /** table: a body without rows. list: an empty one. onType: as `onMove` of `Handles`. */
  constructor(table, list, points, onType) {
    this.onType = onType;
    this.list = list;
    this.rows = points.map((_, i) => this.#row(i, points.length));
    table.append(...this.rows.map(({ row }) => row));
  }

  show(points) {
    points.forEach(({ x, y }, i) => {
      this.rows[i].x.value = rounded(x);
      this.rows[i].y.value = rounded(y);
    });
    this.list.replaceChildren(
      ...secants(points).map((slope, i) => segment(slope, points[i].x, points[i + 1].x)),
    );
  }

  #row(index, count) {
    const field = (axis, label) =>
      element("input", {
        type: "number",
        step: "any",
        min: "0",
        max: "100",
        ariaLabel: `Point ${index + 1}, ${label}, in percent`,
        readOnly: axis === "x" && (index === 0 || index === count - 1),
        onchange: () => {
          const [x, y] = [this.rows[index].x, this.rows[index].y].map((each) => each.valueAsNumber);
          this.onType(index, x > 0 && y > 0 ? { x, y } : null);
        },
      });
    const [x, y] = [field("x", "the model's"), field("y", "drawn by")];
    const row = element(
      "tr",
      {},
      element("th", { scope: "row" }, String(index + 1)),
      element("td", {}, x),
      element("td", {}, y),
    );
    return { row, x, y };
  }
}

function segment(slope, from, to) {
  const kind = slope < -1e-12 ? "falls" : effect(slope);
  return element(
    "li",
    { class: kind },
    element("span", { class: "span" }, `${short(from)} – ${short(to)} %`),
    element("span", { class: "slope" }, slope.toFixed(2)),
    element("span", { class: "word" }, WORDS[kind]),
  );
}
