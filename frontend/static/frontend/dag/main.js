// The map of this server: how a request becomes an answer, and how a dataset becomes an adapter.

import { byId } from "../element.js";
import { Camera } from "./camera.js";
import { sizeOf } from "./layout.js";
import { drawMap, mark } from "./map.js";
import { showMap, showStep } from "./panel.js";

const world = byId("world");
const panel = byId("panel");
const camera = new Camera(byId("map"), world);

async function show(name) {
  const answer = await fetch(new URL(`${name}.json`, import.meta.url));
  const map = await answer.json();
  const select = (step) => {
    mark(world, step.id);
    showStep(panel, map, step, select);
  };
  drawMap(world, map, { onSelect: select, onFocus: (box) => camera.reveal(box) });
  showMap(panel, map);
  camera.show(sizeOf(map));
}

for (const choice of document.querySelectorAll("input[name=map]")) {
  choice.addEventListener("change", () => show(choice.value));
}
byId("fit").addEventListener("click", () => camera.fit());
byId("closer").addEventListener("click", () => camera.zoom(1.25));
byId("farther").addEventListener("click", () => camera.zoom(0.8));
show(document.querySelector("input[name=map]:checked").value);
