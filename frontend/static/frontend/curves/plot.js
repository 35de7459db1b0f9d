// The picture: backdrop, curve and handles, always as large as its place on the page.

import { Backdrop } from "./backdrop.js";
import { effect, pieces, secants } from "./curve.js";
import { shape } from "../element.js";
import { Handles } from "./handles.js";
import { Scale } from "./scale.js";

export class Plot {
  #points;
  #bins = null;
  #scale = null;

  /** svg: an empty one. onMove: see `Handles`. */
  constructor(svg, points, onMove) {
    this.svg = svg;
    this.#points = points;
    this.backdrop = new Backdrop();
    this.curve = shape("g", { class: "curve", "aria-hidden": "true" });
    this.handles = new Handles(points.length, onMove);
    svg.append(this.backdrop.group, this.curve, this.handles.group);
    new ResizeObserver(() => this.#fit()).observe(svg);
  }

  show(points) {
    this.#points = points;
    this.#drawCurve();
  }

  /** bins: see `Backdrop`. */
  showSignal(bins) {
    this.#bins = bins;
    if (this.#scale) this.backdrop.draw(this.#scale, bins);
  }

  #fit() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || !height) return;
    this.#scale = new Scale(width, height);
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.backdrop.draw(this.#scale, this.#bins);
    this.#drawCurve();
  }

  #drawCurve() {
    if (!this.#scale) return;
    const slopes = secants(this.#points);
    const place = ({ x, y }) => `${this.#scale.x(x)} ${this.#scale.y(y)}`;
    const paths = pieces(this.#points).map(([start, first, second, end], i) =>
      shape("path", {
        class: slopes[i] < -1e-12 ? "falls" : effect(slopes[i]),
        d: `M${place(start)}C${place(first)} ${place(second)} ${place(end)}`,
      }),
    );
    this.curve.replaceChildren(...paths);
    this.handles.draw(this.#scale, this.#points);
  }
}
