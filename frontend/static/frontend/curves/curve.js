// The curve itself: points in percent, between them the monotone cubic that the server draws by.
// What the page computes here, inference/transfer_curve.py computes for the samples.

export const LEAST = 1e-4;
export const MOST = 100;
const GAP = 10 ** 0.02; // between neighbours, as a factor
const FLAT = 0.97;
const STEEP = 1.03;

export const START = [LEAST, 0.1, 1, 9, MOST].map((percent) => ({ x: percent, y: percent }));

const log = (percent) => Math.log(percent / 100);
const between = (low, value, high) => Math.min(Math.max(value, low), Math.max(low, high));

/** Slopes of the straight lines from point to point. */
export function secants(points) {
  return points
    .slice(1)
    .map((point, i) => (log(point.y) - log(points[i].y)) / (log(point.x) - log(points[i].x)));
}

export const isMonotone = (points) => secants(points).every((slope) => slope >= -1e-12);

export const isIdentity = (points) =>
  points.every(({ x, y }) => Math.abs(log(y) - log(x)) < 1e-9);

/** What a slope does to likelihoods: "flatten", "sharpen", or "keep". */
export function effect(slope) {
  if (slope < FLAT) return "flatten";
  return slope > STEEP ? "sharpen" : "keep";
}

/** Slopes of the curve at its points, after Fritsch and Carlson. */
export function tangents(points) {
  const slopes = secants(points);
  const widths = points.slice(1).map((point, i) => log(point.x) - log(points[i].x));
  return points.map((_, i) => {
    if (i === 0) return slopes[0];
    if (i === points.length - 1) return slopes[i - 1];
    const [before, after] = [slopes[i - 1], slopes[i]];
    if (before * after <= 0) return 0;
    const one = 2 * widths[i] + widths[i - 1];
    const other = widths[i] + 2 * widths[i - 1];
    return (one + other) / (one / before + other / after);
  });
}

/** The curve piece by piece, each as a Bézier's four points in percent: with logarithmic axes a
 * cubic through two points with two slopes is exactly that. */
export function pieces(points) {
  const slopes = tangents(points);
  const shift = (point, slope, width) => ({
    x: point.x * Math.exp(width),
    y: point.y * Math.exp(slope * width),
  });
  return points.slice(1).map((end, i) => {
    const third = (log(end.x) - log(points[i].x)) / 3;
    return [
      points[i],
      shift(points[i], slopes[i], third),
      shift(end, slopes[i + 1], -third),
      end,
    ];
  });
}

/** Points with one moved as far as its neighbours let it: they keep their order, and the curve
 * rises. The outer two stay where they are from left to right. */
export function moved(points, index, { x, y }) {
  const left = points[index - 1];
  const right = points[index + 1];
  const point = {
    x: left && right ? between(left.x * GAP, x, right.x / GAP) : points[index].x,
    y: between(left ? left.y : LEAST, between(LEAST, y, MOST), right ? right.y : MOST),
  };
  return points.map((old, i) => (i === index ? point : old));
}

/** Points with one where it was typed: only its order from left to right is kept, so that several
 * can be typed one after the other. The curve may then fall. */
export function typed(points, index, { x, y }) {
  const sideways = moved(points, index, { x, y }); // settles x
  const point = { x: sideways[index].x, y: between(LEAST, y, MOST) };
  return points.map((old, i) => (i === index ? point : old));
}

/** The curve as the server takes it. */
export const toWire = (points) => ({
  points: points.map(({ x, y }) => ({ x_pct: rounded(x), y_pct: rounded(y) })),
});

/** Five digits that count, so that what is copied can be read. */
export const rounded = (value) => Number(value.toPrecision(5));
