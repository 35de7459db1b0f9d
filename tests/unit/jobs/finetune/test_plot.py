import xml.etree.ElementTree as ET

import pytest

from jobs.finetune.plot import HEIGHT, WIDTH, Axis, draw_losses

SVG = "{http://www.w3.org/2000/svg}"


def texts(document: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(document).iter(f"{SVG}text")]


def test_a_plot_has_axes_a_title_and_a_legend() -> None:
    plot = draw_losses([(10, 2.0), (20, 1.0)], [(0, 2.5), (20, 1.5)], "Model <1> & co")

    assert {"Model <1> & co", "iteration", "loss", "training", "validation"} <= set(texts(plot))
    assert {"0", "10", "20", "1", "2"} <= set(texts(plot))


def test_every_loss_is_a_point_within_the_picture() -> None:
    plot = draw_losses([(step, 1000.0 / step) for step in range(1, 31)], [(0, -5.0)], "x")
    circles = list(ET.fromstring(plot).iter(f"{SVG}circle"))

    assert len(circles) == 31
    assert all(0 <= float(c.attrib["cx"]) <= WIDTH for c in circles)
    assert all(0 <= float(c.attrib["cy"]) <= HEIGHT for c in circles)


def test_a_lower_loss_is_drawn_lower() -> None:
    plot = draw_losses([(1, 3.0), (2, 1.0)], [], "x")
    first, second = ET.fromstring(plot).iter(f"{SVG}circle")

    assert float(first.attrib["cy"]) < float(second.attrib["cy"])
    assert float(first.attrib["cx"]) < float(second.attrib["cx"])


def test_without_validation_there_is_no_line_for_it() -> None:
    assert "validation" not in texts(draw_losses([(1, 3.0)], [], "x"))


def test_a_loss_that_is_no_number_leaves_a_gap() -> None:
    plot = draw_losses([(1, 3.0), (2, float("nan")), (3, 2.0), (4, 1.0)], [], "x")
    [line] = [p for p in ET.fromstring(plot).iter(f"{SVG}path") if p.attrib.get("stroke-width")]

    assert line.attrib["d"].count("M") == 2
    assert "nan" not in plot


def test_a_run_without_measurements_is_an_empty_picture() -> None:
    assert "iteration" in texts(draw_losses([], [], "x"))


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 97), (0.0123, 0.0131), (-4, 2000)])
def test_ticks_are_few_round_and_on_the_axis(low: float, high: float) -> None:
    ticks = list(Axis(low, high, 0, 100).ticks(6))

    assert 2 <= len(ticks) <= 7
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)
