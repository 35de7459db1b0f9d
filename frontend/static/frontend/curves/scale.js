// From percent to pixels and back. Both axes are logarithmic and span the same six decades.

import { LEAST, MOST } from "./curve.js";

export const DECADES = [1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100];
const SPAN = Math.log10(MOST / LEAST);
const MARGIN = { top: 14, right: 18, bottom: 48, left: 70 };

export class Scale {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.left = MARGIN.left;
    this.right = width - MARGIN.right;
    this.top = MARGIN.top;
    this.bottom = height - MARGIN.bottom;
  }

  x(percent) {
    return this.left + this.#share(percent) * (this.right - this.left);
  }

  y(percent) {
    return this.bottom - this.#share(percent) * (this.bottom - this.top);
  }

  /** The point, in percent, that lies at a place of the picture. */
  at(x, y) {
    return {
      x: this.#percent((x - this.left) / (this.right - this.left)),
      y: this.#percent((this.bottom - y) / (this.bottom - this.top)),
    };
  }

  #share(percent) {
    return Math.log10(percent / LEAST) / SPAN;
  }

  #percent(share) {
    return LEAST * 10 ** (Math.min(Math.max(share, 0), 1) * SPAN);
  }
}

/** A number of percent in as few digits as tell it apart: 0.0001, 0.1, 8.7, 100. */
export function short(percent) {
  return String(Number(percent.toPrecision(percent >= 10 ? 3 : 2)));
}
