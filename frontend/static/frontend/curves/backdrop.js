// What lies behind the curve: the grid, the diagonal, and how likely the model holds its tokens.

import { LEAST, MOST } from "./curve.js";
import { set, shape } from "../element.js";
import { DECADES, short } from "./scale.js";

const NARROW = 330; // pixels; every other label then

export class Backdrop {
  constructor() {
    this.grid = shape("g", { class: "grid" });
    this.histogram = shape("g", { class: "histogram" });
    this.diagonal = shape("line", { class: "diagonal" });
    this.group = shape("g", { "aria-hidden": "true" }, this.grid, this.histogram, this.diagonal);
  }

  /** bins: counts of tokens in even steps across the whole axis; null for none. */
  draw(scale, bins) {
    this.grid.replaceChildren(...lines(scale), ...labels(scale));
    this.histogram.replaceChildren(...bars(scale, bins ?? []));
    set(this.diagonal, {
      x1: scale.x(LEAST),
      y1: scale.y(LEAST),
      x2: scale.x(MOST),
      y2: scale.y(MOST),
    });
  }
}

function lines({ left, right, top, bottom }) {
  return DECADES.map((_, i) => i / (DECADES.length - 1)).flatMap((share) => {
    const x = left + share * (right - left);
    const y = top + share * (bottom - top);
    return [
      shape("line", { x1: x, y1: top, x2: x, y2: bottom }),
      shape("line", { x1: left, y1: y, x2: right, y2: y }),
    ];
  });
}

function labels(scale) {
  const { left, right, top, bottom, height } = scale;
  const text = (words, attributes) => {
    const made = shape("text", attributes);
    made.textContent = words;
    return made;
  };
  const middle = (top + bottom) / 2;
  const isNarrow = right - left < NARROW;
  const below = DECADES.filter((_, i) => !isNarrow || i % 2 === 0);
  return [
    ...below.map((at) => text(short(at), { x: scale.x(at), y: bottom + 19, class: "below" })),
    ...DECADES.map((at) => text(short(at), { x: left - 13, y: scale.y(at) + 4, class: "beside" })),
    text("as the model has it, %", { x: (left + right) / 2, y: height - 6, class: "below title" }),
    text("as it is drawn by, %", {
      x: 12,
      y: middle,
      transform: `rotate(-90 12 ${middle})`,
      class: "below title",
    }),
  ];
}

// Nearly all tokens are unlikely, so heights are logarithmic as well.
function bars({ left, right, top, bottom }, bins) {
  const width = (right - left) / bins.length;
  const highest = Math.log1p(Math.max(...bins, 1));
  return bins.flatMap((count, i) => {
    if (!count) return [];
    const height = Math.max(2, (Math.log1p(count) / highest) * (bottom - top));
    return shape("rect", {
      x: left + i * width + 0.5,
      y: bottom - height,
      width: Math.max(1, width - 1),
      height,
    });
  });
}
