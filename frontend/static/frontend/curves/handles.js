// The points of the curve, to drag with a pointer or to move with the keyboard.

import { effect, secants } from "./curve.js";
import { set, shape } from "../element.js";
import { short } from "./scale.js";

const STEP = 0.02; // decades; with Shift ten times as much
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

export class Handles {
  #points;
  #scale;

  /** onMove is called with a point's index and where it should go, in percent. */
  constructor(count, onMove) {
    this.onMove = onMove;
    this.group = shape("g", { class: "handles" });
    this.all = Array.from({ length: count }, (_, i) => this.#make(i, count));
    this.group.append(...this.all);
  }

  draw(scale, points) {
    this.#scale = scale;
    this.#points = points;
    const slopes = secants(points);
    this.all.forEach((handle, i) => {
      const { x, y } = points[i];
      const slope = slopes[Math.min(i, slopes.length - 1)];
      set(handle, {
        transform: `translate(${scale.x(x)} ${scale.y(y)})`,
        "aria-valuenow": Math.log10(y).toFixed(2),
        "aria-valuetext":
          `${short(x)} percent becomes ${short(y)} percent, ` +
          `slope ${slope.toFixed(2)}, ${effect(slope)}`,
      });
    });
  }

  #make(index, count) {
    const isOuter = index === 0 || index === count - 1;
    const handle = shape(
      "g",
      {
        class: "handle",
        role: "slider",
        tabindex: 0,
        "aria-label": `Point ${index + 1} of ${count}${isOuter ? ", moves up and down" : ""}`,
        "aria-valuemin": -4,
        "aria-valuemax": 2,
      },
      shape("circle", { class: "reach", r: 22 }),
      shape("circle", { class: "halo", r: 12 }),
      shape("circle", { class: "dot", r: 7 }),
    );
    handle.addEventListener("keydown", (event) => this.#key(event, index));
    handle.addEventListener("dblclick", () => this.#toDiagonal(index));
    // A finger on a point moves the point and not the page; Chromium heeds no `touch-action` here.
    handle.addEventListener("touchstart", (event) => event.preventDefault(), { passive: false });
    handle.addEventListener("pointerdown", (event) => this.#drag(event, index));
    return handle;
  }

  #key(event, index) {
    if (event.key === "Home") {
      event.preventDefault();
      this.#toDiagonal(index);
      return;
    }
    const direction = KEYS[event.key];
    if (!direction || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const [right, up] = direction.map((sign) => 10 ** (sign * STEP * (event.shiftKey ? 10 : 1)));
    const { x, y } = this.#points[index];
    this.onMove(index, { x: x * right, y: y * up });
  }

  #toDiagonal(index) {
    const { x } = this.#points[index];
    this.onMove(index, { x, y: x });
  }

  #drag(event, index) {
    if (event.button !== 0) return;
    const handle = this.all[index];
    // The point stays under the pointer where it was caught, not with its middle.
    const offX = this.#scale.x(this.#points[index].x) - event.clientX;
    const offY = this.#scale.y(this.#points[index].y) - event.clientY;
    const follow = (moved) =>
      this.onMove(index, this.#scale.at(moved.clientX + offX, moved.clientY + offY));
    const end = () => {
      handle.classList.remove("held");
      handle.removeEventListener("pointermove", follow);
    };
    event.preventDefault();
    handle.focus({ preventScroll: true });
    handle.classList.add("held");
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener("pointermove", follow);
    handle.addEventListener("lostpointercapture", end, { once: true });
  }
}
