"""Figures: drawn the same each time, with marks, labels and reasons; nothing synthetic unmarked."""

from __future__ import annotations

import logging
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from iolai.records import Chart, Dot, Series
from iolai.reports import plots
from iolai.reports.labelling import place_labels
from iolai.reports.plots import CHART_FORMATS, PALETTE, SHAPES, draw, palette

ONE = Series("one", (Dot("kati", 0.2, 0.1, 0.3), Dot("pelo", 0.4)))
TWO = Series("two", (Dot("sana", 0.9),), synthetic=True)
CHARTS = (
    Chart("dots", "Dots", "dots", (ONE, TWO), x_title="Score", notes=("90% of $it.",)),
    Chart("zero", "Differences", "dots", (ONE,), x_title="Change", reference=0.0),
    Chart("strip", "Strip", "strip", (ONE, TWO), x_title="Task", y_title="EM"),
    Chart("scatter", "Scatter", "scatter", (Series("s", (Dot(0.1, 0.2, label="1: a$b"),)),)),
    Chart("lines", "Lines", "lines", (Series("team", (Dot(1.7e9, 0.1), Dot(1.8e9, 0.3))),)),
    Chart("texts", "Texts", "texts", texts=(("model", "a $x$ நாடு " * 60), ("Reference", "short"))),
    Chart("none", "Nothing", "dots", reason="no model has answered a task"),
)


def texts(figure: Any) -> list[str]:
    import matplotlib.text

    found = figure.findobj(matplotlib.text.Text)
    return [text.get_text() for text in found if text.get_visible()]


@pytest.mark.parametrize("chart", CHARTS, ids=lambda chart: chart.name)
def test_both_formats_are_drawn_and_the_same_again(chart: Chart) -> None:
    svg = CHART_FORMATS["svg"](chart)
    assert svg == CHART_FORMATS["svg"](chart)
    assert ET.fromstring(svg).tag.endswith("svg")  # noqa: S314 -- made here
    assert CHART_FORMATS["png"](chart).startswith(b"\x89PNG")


def test_intervals_marks_and_names_are_there() -> None:
    figure = draw(CHARTS[0])
    (axes,) = figure.axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["kati", "pelo", "sana"]
    drawn = [tuple(round(float(x), 6) for x in line.get_xdata()) for line in axes.lines]
    assert (10.0, 30.0) in drawn
    assert (20.0, 40.0) in drawn
    assert axes.get_xlim()[0] <= 0
    assert {"one", "two", "Dots", "Score (×100)"} <= set(texts(figure))


def test_series_differ_in_colour_and_in_shape() -> None:
    pairs = [palette(n) for n in range(len(PALETTE))]
    assert len({colour for colour, _ in pairs}) == len({shape for _, shape in pairs}) == len(pairs)
    assert len(SHAPES) > len(PALETTE)
    assert len({palette(n) for n in range(40)}) == 40


def test_what_is_synthetic_is_marked_and_only_that() -> None:
    assert "SYNTHETIC" in texts(draw(CHARTS[0]))
    assert "SYNTHETIC" not in texts(draw(CHARTS[1]))


def test_a_figure_without_data_says_why() -> None:
    assert "No figure: no model has answered a task." in texts(draw(CHARTS[-1]))
    with pytest.raises(ValueError, match="does not say why"):
        Chart("none", "Nothing", "dots")


def test_long_texts_are_cut_in_words() -> None:
    (axes,) = draw(CHARTS[5]).axes
    bodies = [text.get_text() for text in axes.texts]
    assert any(body.endswith("short") for body in bodies)
    long = Chart("texts", "T", "texts", texts=(("m", "word " * 3000), ("r", "x")))
    assert any(body.endswith("(goes on)") for body in texts(draw(long)))


def boxes_of(chart: Chart) -> list[Any]:
    """Return the areas of a scatter's labels as drawn, in the order of the dots."""
    figure = draw(chart)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    names = [dot.label for series in chart.series for dot in series.dots]
    labels = [text for text in axes.texts if text.get_text() in names]
    assert [label.get_text() for label in labels] == names
    boxes = [label.get_window_extent() for label in labels]
    assert all(figure.bbox.contains(*corner) for box in boxes for corner in (box.p0, box.p1))
    return [box.padded(-1) for box in boxes]


def test_labels_of_a_crowded_scatter_do_not_cover_each_other() -> None:
    dots = tuple(
        Dot(0.5 + 0.004 * n, 0.2 + 0.05 * (n % 4), label=f"{n}: criterion {n % 3}")
        for n in range(24)
    )
    corners = (Dot(0.0, 0.0, label="nobody"), Dot(1.0, 1.0, label="everybody"))
    boxes = boxes_of(Chart("s", "S", "scatter", (Series("s", (*dots, *corners)),)))
    assert not any(one.overlaps(other) for n, one in enumerate(boxes) for other in boxes[:n])


def test_a_label_without_any_free_place_covers_as_little_as_can_be() -> None:
    places = place_labels([(5.0, 5.0)] * 3, [(8.0, 4.0)] * 3, (10.0, 10.0))
    assert len(set(places)) == 3


def test_a_font_that_is_missing_is_no_news_to_the_user(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    chart = Chart("c", "t", "dots", (Series("s", (Dot("a", 0.5),)),))
    monkeypatch.setattr(plots, "_fonts", lambda chart: ["No Such Font of Ours", "DejaVu Sans"])
    CHART_FORMATS["svg"](chart)
    assert not caplog.records
    logging.getLogger("matplotlib.font_manager").warning("findfont: outside of a drawing")
    assert len(caplog.records) == 1
