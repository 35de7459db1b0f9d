// Where everything lies on the map: lanes are columns, steps stand in rows.

export const BOX = { width: 196, height: 52 };
const LANE = 268;
const ROW = 96;
const TOP = 92;
const BULGE = 62; // how far a way back swings out

export const laneAt = (lane) => ({ x: lane * LANE, width: LANE });

export function boxOf({ lane, row }) {
  const x = lane * LANE + (LANE - BOX.width) / 2;
  return { x, y: TOP + row * ROW, middle: x + BOX.width / 2, centre: TOP + row * ROW + BOX.height / 2 };
}

export function sizeOf({ lanes, steps }) {
  const rows = Math.max(...steps.map(({ row }) => row)) + 1;
  return { width: lanes.length * LANE, height: TOP + rows * ROW };
}

/** The four points of a way's curve. Down it goes from edge to edge, back along the side, and
 * into another lane from the side that looks there. */
export function curveOf(from, to) {
  const [a, b] = [boxOf(from), boxOf(to)];
  if (from.lane === to.lane && to.row > from.row) {
    const [start, end] = [a.y + BOX.height, b.y];
    const third = (end - start) / 3;
    return [[a.middle, start], [a.middle, start + third], [a.middle, end - third], [a.middle, end]];
  }
  if (from.lane === to.lane) {
    const side = a.x + BOX.width;
    return [[side, a.centre], [side + BULGE, a.centre], [side + BULGE, b.centre], [side, b.centre]];
  }
  const goesRight = to.lane > from.lane;
  const start = goesRight ? a.x + BOX.width : a.x;
  if (from.row === to.row) {
    const end = goesRight ? b.x : b.x + BOX.width;
    const third = (end - start) / 3;
    return [[start, a.centre], [start + third, a.centre], [end - third, a.centre], [end, a.centre]];
  }
  const entry = to.row > from.row ? b.y : b.y + BOX.height;
  return [[start, a.centre], [b.middle, a.centre], [b.middle, a.centre], [b.middle, entry]];
}

/** Where the words on a way stand: halfway, and above the line where boxes leave no room. */
export function placeOfWords(from, to) {
  const [a, b, c, d] = curveOf(from, to);
  const [x, y] = [0, 1].map((axis) => (a[axis] + 3 * b[axis] + 3 * c[axis] + d[axis]) / 8);
  const isTight = from.row === to.row && Math.abs(from.lane - to.lane) === 1;
  return { x, y: isTight ? y - BOX.height / 2 - 8 : y + 4 };
}
