// The curve designer: draws a curve over the model's likelihoods, and samples along it.

import { watchAddress } from "./address.js";
import { BlindTest } from "./blind_test.js";
import { copy } from "./copy.js";
import { isIdentity, isMonotone, moved, START, toWire, typed } from "./curve.js";
import { byId } from "../element.js";
import { Engine, EngineError } from "./engine.js";
import { Plot } from "./plot.js";
import { Readout } from "./readout.js";
import { Results } from "./results.js";
import { cards } from "./samples.js";

const NOT_MONOTONE = "The curve is not monotone: every slope must be 0 or more.";

const engine = new Engine(location.origin);
const test = new BlindTest();
let points = START;
let isBusy = false;

const prompt = byId("prompt");
const plot = new Plot(byId("plot"), points, (i, place) => take(moved(points, i, place)));
const readout = new Readout(byId("points"), byId("slopes"), points, (i, place) =>
  take(place ? typed(points, i, place) : points),
);
const results = new Results(byId("results"), byId("status"), byId("stop"), (busy) => {
  isBusy = busy;
  update();
});
const checkEngine = watchAddress(engine, {
  field: byId("engine"),
  status: byId("reachable"),
  onChange: forget,
});

/** Go on with other points: what was drawn by the old ones says nothing any more. */
function take(changed) {
  if (JSON.stringify(changed) !== JSON.stringify(points)) results.clear();
  points = changed;
  plot.show(points);
  readout.show(points);
  update();
}

function update() {
  const rises = isMonotone(points);
  byId("monotone").textContent = rises ? "" : NOT_MONOTONE;
  byId("reset").disabled = isIdentity(points);
  byId("generate").disabled = isBusy || !rises;
  byId("blind").disabled = isBusy || !rises || isIdentity(points);
  byId("blind-hint").hidden = !isIdentity(points);
}

/** The signal and the samples belong to one prompt and one engine. */
function forget() {
  results.clear();
  plot.showSignal(null);
  byId("signal-words").textContent = "";
}

function request() {
  const number = (id) => {
    const field = byId(id);
    const value = Number.isFinite(field.valueAsNumber) ? field.valueAsNumber : field.defaultValue;
    field.value = Math.min(Math.max(Math.round(value), field.min), field.max);
    return field.valueAsNumber;
  };
  return {
    prompt: prompt.value.trim(),
    curve: toWire(points),
    n: number("n"),
    max_tokens: number("tokens"),
    seed: number("seed"),
  };
}

function hasPrompt() {
  if (prompt.value.trim()) return true;
  results.fail("Write a prompt first.");
  prompt.focus();
  return false;
}

async function generate() {
  if (!hasPrompt()) return;
  const { curve, ...body } = request();
  const way = isIdentity(points) ? { default: true } : { curve };
  await results.run(body.n, "Drawing samples …", async (signal) => {
    const answer = await engine.generate({ ...body, ...way }, signal);
    return [cards(answer), `${answer.samples.length} samples are there.`];
  });
  checkEngine();
}

async function blind() {
  if (!hasPrompt()) return;
  const bodies = BlindTest.bodies(request());
  await results.run(2, "Drawing two samples …", async (signal) => {
    const answers = await Promise.all(bodies.map((body) => engine.generate(body, signal)));
    return [test.show(answers), "Two samples are there. Which one follows the curve?"];
  });
  checkEngine();
}

async function loadSignal() {
  if (!hasPrompt()) return;
  const words = byId("signal-words");
  const button = byId("load-signal");
  const whose = () => `${engine.address} ${prompt.value}`;
  const asked = whose();
  button.disabled = true;
  words.textContent = "Reading …";
  let told = "";
  try {
    const { bins, vocab } = await engine.readSignal(prompt.value.trim());
    if (asked !== whose()) return;
    plot.showSignal(bins);
    const likely = bins.slice(bins.length / 2).reduce((sum, count) => sum + count, 0);
    const [many, all] = [likely, vocab].map((count) => count.toLocaleString("en"));
    told = `${many} of ${all} tokens are likelier than 0.1 %.`;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    plot.showSignal(null);
    told = error.message;
  } finally {
    button.disabled = false;
    words.textContent = told;
  }
  checkEngine();
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  generate();
});
byId("blind").addEventListener("click", blind);
byId("load-signal").addEventListener("click", loadSignal);
byId("reset").addEventListener("click", () => take(START));
byId("copy-values").addEventListener("click", (event) =>
  copy(event.currentTarget, JSON.stringify(toWire(points), null, 2)),
);
prompt.addEventListener("input", forget);
for (const chip of document.querySelectorAll("#examples button")) {
  chip.addEventListener("click", () => {
    prompt.value = chip.textContent;
    forget();
  });
}
take(points);
