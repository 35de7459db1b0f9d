"""A picture of the losses of a run, as SVG: axes, a line for training, one for validation."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

Series = Sequence[tuple[float, float]]
"""Points (step, loss) in order of steps."""

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 64, 20, 48, 52  # margins, in pixels
COLORS = {"train": "#2563eb", "val": "#ea580c"}
NAMES = {"train": "training", "val": "validation"}


@dataclass(frozen=True, slots=True)
class Axis:
    """Maps values between `low` and `high` to pixels between `start` and `end`."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int) -> Iterator[float]:
        """Round values on the axis, at most so many and a few."""
        step = _round_step((self.high - self.low) / most)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        yield from (number * step for number in range(first, last + 1))


def draw_losses(train: Series, val: Series, title: str) -> str:
    """Return an SVG document. Losses that are no number leave a gap."""
    points = [point for series in (train, val) for point in series if math.isfinite(point[1])]
    x = _axis([step for step, _ in points], LEFT, WIDTH - RIGHT, from_zero=True)
    y = _axis([loss for _, loss in points], HEIGHT - BOTTOM, TOP, from_zero=False)
    shown = {"train": train, "val": val}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" '
        'font-family="system-ui, sans-serif" font-size="12" fill="#4b5563">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-size="15" fill="#111827">{escape(title)}</text>',
        *_grid(x, y),
        *(_line(shown[kind], x, y, COLORS[kind]) for kind in shown if shown[kind]),
        *_legend([kind for kind in shown if shown[kind]]),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _axis(values: Sequence[float], start: float, end: float, *, from_zero: bool) -> Axis:
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    low = 0.0 if from_zero else low
    if high <= low:
        high = low + (abs(low) * 0.1 or 1.0)
    if not from_zero:
        room = (high - low) * 0.06
        # A loss that is never negative needs no room below zero.
        low, high = (max(0.0, low - room) if low >= 0 else low - room), high + room
    return Axis(low, high, start, end)


def _round_step(rough: float) -> float:
    power = 10 ** math.floor(math.log10(rough))
    return float(next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999))


def _grid(x: Axis, y: Axis) -> Iterator[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for value in y.ticks(6):
        at = f"{y.place(value):.1f}"
        yield f'<line x1="{LEFT}" y1="{at}" x2="{right}" y2="{at}" stroke="#e5e7eb"/>'
        yield (f'<text x="{LEFT - 8}" y="{at}" dy="4" text-anchor="end">{value:g}</text>')
    for value in x.ticks(8):
        at = f"{x.place(value):.1f}"
        yield f'<line x1="{at}" y1="{bottom}" x2="{at}" y2="{bottom + 5}" stroke="#9ca3af"/>'
        yield (f'<text x="{at}" y="{bottom + 20}" text-anchor="middle">{value:g}</text>')
    yield f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#9ca3af"/>'
    middle = (LEFT + right) / 2
    yield (
        f'<text x="{middle}" y="{HEIGHT - 12}" text-anchor="middle" fill="#374151">iteration</text>'
    )
    yield (
        f'<text transform="translate(16 {(TOP + bottom) / 2}) rotate(-90)" text-anchor="middle" '
        'fill="#374151">loss</text>'
    )


def _line(series: Series, x: Axis, y: Axis, color: str) -> str:
    path, pen_down = [], False
    for step, loss in series:
        if not math.isfinite(loss):
            pen_down = False
            continue
        path.append(f"{'L' if pen_down else 'M'}{x.place(step):.1f} {y.place(loss):.1f}")
        pen_down = True
    dots = "".join(
        f'<circle cx="{x.place(step):.1f}" cy="{y.place(loss):.1f}" r="2.5"/>'
        for step, loss in series
        if math.isfinite(loss) and len(series) <= 60
    )
    return (
        f'<g fill="{color}"><path d="{"".join(path)}" fill="none" stroke="{color}" '
        f'stroke-width="2" stroke-linejoin="round"/>{dots}</g>'
    )


def _legend(kinds: Sequence[str]) -> Iterator[str]:
    for place, kind in enumerate(reversed(kinds)):
        at = WIDTH - RIGHT - 96 - 104 * place
        yield (
            f'<line x1="{at}" y1="20" x2="{at + 22}" y2="20" stroke="{COLORS[kind]}" '
            'stroke-width="3"/>'
            f'<text x="{at + 28}" y="24" fill="#374151">{NAMES[kind]}</text>'
        )
