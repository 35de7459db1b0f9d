// The engine's address, and a dot that tells whether anyone answers there.

import { readAddress } from "./engine.js";

const EVERY = 10_000; // ms
const WORDS = {
  checking: "Looking for the engine",
  ready: "Engine reachable",
  loading: "No model is loaded yet",
  away: "Engine unreachable",
  none: "Only engines on this machine",
};

/** Keep `engine.address` as typed and the dot true. onChange: called when the address changed. */
export function watchAddress(engine, { field, status, onChange }) {
  const show = (state) => {
    status.dataset.state = state;
    status.lastElementChild.textContent = WORDS[state];
  };
  const check = async () => {
    const asked = engine.address;
    if (!asked) return;
    const state = await engine.state();
    if (asked === engine.address) show(state);
  };
  const take = () => {
    const address = readAddress(field.value.trim() || location.origin);
    field.setAttribute("aria-invalid", String(address === null));
    if (address !== engine.address) {
      engine.address = address;
      onChange();
    }
    show(address ? "checking" : "none");
    field.value = address ?? field.value;
    check();
  };

  field.value = engine.address;
  field.addEventListener("change", take);
  setInterval(() => document.hidden || check(), EVERY);
  document.addEventListener("visibilitychange", () => document.hidden || check());
  show("checking");
  check();
  return check;
}
