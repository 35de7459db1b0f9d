// What part of the map is seen: drag to move, wheel or buttons to zoom.

const CLOSEST = 2;
const READABLE = 0.85; // the map begins no smaller than this

export class Camera {
  #view = { x: 0, y: 0, scale: 1 };
  #size = { width: 1, height: 1 };
  #isSeen = false;

  constructor(svg, world) {
    this.svg = svg;
    this.world = world;
    svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    svg.addEventListener("pointerdown", (event) => this.#drag(event));
    // A frame may have no size at first.
    new ResizeObserver(() => this.#isSeen || this.begin()).observe(svg);
  }

  /** Take a map of this size, and show its beginning. */
  show(size) {
    this.#size = size;
    this.begin();
  }

  begin() {
    const { scale } = this.#whole();
    this.#isSeen = scale > 0;
    this.#set(Math.max(scale, READABLE), (room) => room.width, () => 0);
  }

  /** Show all of it. */
  fit() {
    this.#set(this.#whole().scale, (room) => room.width, (room) => room.height);
  }

  zoom(factor) {
    const { width, height } = this.svg.getBoundingClientRect();
    this.#zoomAt(factor, width / 2, height / 2);
  }

  /** Move so far that a box is in sight. */
  reveal({ x, y, width, height }) {
    const { width: w, height: h } = this.svg.getBoundingClientRect();
    const { scale } = this.#view;
    const into = (at, low, high) => at + Math.max(0, -low) - Math.max(0, high);
    const left = this.#view.x + x * scale;
    const top = this.#view.y + y * scale;
    this.#view.x = into(this.#view.x, left - 12, left + width * scale + 12 - w);
    this.#view.y = into(this.#view.y, top - 12, top + height * scale + 12 - h);
    this.#apply();
  }

  #whole() {
    const { width, height } = this.svg.getBoundingClientRect();
    return { scale: Math.min(width / this.#size.width, height / this.#size.height, 1) };
  }

  #set(scale, across, down) {
    const { width, height } = this.svg.getBoundingClientRect();
    const room = { width: width - this.#size.width * scale, height: height - this.#size.height * scale };
    this.#view = { scale, x: Math.max(0, across(room) / 2), y: Math.max(0, down(room) / 2) };
    this.#apply();
  }

  #apply() {
    const { x, y, scale } = this.#view;
    this.world.setAttribute("transform", `translate(${x} ${y}) scale(${scale})`);
  }

  #zoomAt(factor, x, y) {
    const view = this.#view;
    const scale = Math.min(Math.max(view.scale * factor, this.#whole().scale / 2), CLOSEST);
    const ratio = scale / view.scale;
    this.#view = { scale, x: x - (x - view.x) * ratio, y: y - (y - view.y) * ratio };
    this.#apply();
  }

  #wheel(event) {
    event.preventDefault();
    const { left, top } = this.svg.getBoundingClientRect();
    this.#zoomAt(Math.exp(-event.deltaY / 500), event.clientX - left, event.clientY - top);
  }

  #drag(event) {
    if (event.button !== 0 || event.target.closest("[role=button]")) return;
    const { x, y } = this.#view;
    const follow = (moved) => {
      this.#view.x = x + moved.clientX - event.clientX;
      this.#view.y = y + moved.clientY - event.clientY;
      this.#apply();
    };
    this.svg.setPointerCapture(event.pointerId);
    this.svg.addEventListener("pointermove", follow);
    const end = () => this.svg.removeEventListener("pointermove", follow);
    this.svg.addEventListener("lostpointercapture", end, { once: true });
  }
}
