"""A study's charts as figures, SVG and PNG, by matplotlib.

Colours are those of Okabe and Ito (2008, "Color Universal Design"), which the colour-blind can
tell apart, and every series has a shape of its own besides, so that a figure survives a grey
printer. What is synthetic has a watermark. A chart without data is a figure that says why.
The same chart gives the same bytes.
"""

from __future__ import annotations

import io
import logging
import textwrap
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from iolai.errors import MissingPartError
from iolai.records import Chart, Dot, Series
from iolai.reports.figures import SYNTHETIC
from iolai.reports.labelling import place_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["CHART_FORMATS", "draw", "palette"]

#: Okabe and Ito's colours, without the yellow, which is too light on paper.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
SHAPES = "osD^vPXh"
DASHES = ("-", "--", "-.", ":")
_WIDTH = 7.0  # inches: the text of a page
_GREY = "#555555"
_WRAP = 128  # characters of a note in one line
_SETTINGS = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "svg.hashsalt": "iolai",
    "svg.fonttype": "path",
    "figure.dpi": 100,
}


def palette(place: int) -> tuple[str, str]:
    """Return the colour and the shape of the series at a place, counted from 0."""
    return PALETTE[place % len(PALETTE)], SHAPES[place % len(SHAPES)]


def draw(chart: Chart) -> Figure:
    """Draw a chart; raises MissingPartError where matplotlib is absent."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPartError(
            "figures need matplotlib", hint="Install it: pip install 'iolai[study]'."
        ) from error
    with mpl.rc_context({**_SETTINGS, "font.family": _fonts(chart)}):
        figure = Figure(figsize=(_width(chart), _height(chart)), layout="constrained")
        axes = figure.subplots()
        if chart.reason:
            _say_why(axes, chart)
        else:
            _DRAW[chart.kind](axes, chart)
        axes.set_title(chart.title, loc="left")
        _foot(figure, chart)
        if chart.synthetic:
            _watermark(figure)
        if chart.kind == "scatter" and not chart.reason:
            _label_dots(figure, chart)
    return figure


def _svg(chart: Chart) -> bytes:
    return _saved(chart, "svg", metadata={"Date": None, "Title": chart.title})


def _png(chart: Chart) -> bytes:
    return _saved(chart, "png", dpi=200, metadata={"Software": None, "Title": chart.title})


def _saved(chart: Chart, kind: str, **options: Any) -> bytes:
    import matplotlib as mpl

    stream = io.BytesIO()
    with warnings.catch_warnings(), _quiet_search():
        # A letter that no font here has is drawn as a box; the report's texts hold it in full.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from")
        figure = draw(chart)
        with mpl.rc_context({**_SETTINGS, "font.family": _fonts(chart)}):
            figure.savefig(stream, format=kind, **options)
    return stream.getvalue()


@contextmanager
def _quiet_search() -> Iterator[None]:
    """Leave out what the search for a font says of each weight or font that is not here.

    The nearest one is taken, and a letter that none has is a box: nothing that a user must mend.
    """
    log = logging.getLogger("matplotlib.font_manager")
    log.addFilter(_is_no_search)
    try:
        yield
    finally:
        log.removeFilter(_is_no_search)


def _is_no_search(record: logging.LogRecord) -> bool:
    return not str(record.msg).startswith("findfont:")


#: Formats by the ending of their files: one function above and one line here.
CHART_FORMATS: dict[str, Callable[[Chart], bytes]] = {"svg": _svg, "png": _png}


def _width(chart: Chart) -> float:
    """Return the width of a page, or more where categories side by side would not fit."""
    is_strip = chart.kind == "strip" and not chart.reason
    return max(_WIDTH, 0.17 * len(_categories(chart.series))) if is_strip else _WIDTH


def _height(chart: Chart) -> float:
    if chart.reason:
        return 2.0
    if chart.kind == "dots":
        return 1.6 + 0.26 * max(3, len(_categories(chart.series)))
    if chart.kind == "texts":
        return 1.2 + 0.125 * max(len(_wrapped(text)) for _, text in chart.texts)
    return {"strip": 3.6, "scatter": 5.2, "lines": 3.8}[chart.kind]


def _categories(series: Sequence[Series]) -> list[str]:
    return list(dict.fromkeys(str(dot.x) for one in series for dot in one.dots))


def _say_why(axes: Axes, chart: Chart) -> None:
    axes.set_axis_off()
    text = "\n".join(textwrap.wrap(f"No figure: {chart.reason}.", 80))
    axes.text(0.5, 0.5, text, ha="center", va="center", color=_GREY, transform=axes.transAxes)


def _foot(figure: Figure, chart: Chart) -> None:
    notes = () if chart.reason else chart.notes
    lines = [line for note in notes for line in textwrap.wrap(note, _WRAP)]
    if chart.synthetic:
        lines.append(SYNTHETIC)
    if lines:
        figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=7, color=_GREY)


def _watermark(figure: Figure) -> None:
    mark = figure.text(0.5, 0.5, "SYNTHETIC", ha="center", va="center", rotation=20, fontsize=54)
    mark.set(color="#888888", alpha=0.16, fontweight="bold", zorder=10)


def _dots(axes: Axes, chart: Chart) -> None:
    """Categories below each other, one row each, with their intervals."""
    rows = {name: place for place, name in enumerate(_categories(chart.series))}
    for place, series in enumerate(chart.series):
        colour, shape = palette(place)
        for dot in series.dots:
            if dot.low is not None and dot.high is not None:
                ends = [100 * dot.low, 100 * dot.high]
                axes.plot(ends, [rows[str(dot.x)]] * 2, color=colour, linewidth=1.4, zorder=2)
        xs = [100 * dot.y for dot in series.dots]
        ys = [rows[str(dot.x)] for dot in series.dots]
        axes.plot(xs, ys, shape, color=colour, label=series.name, markersize=6, zorder=3)
    axes.set_yticks(range(len(rows)), [_short(name) for name in rows])
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlabel(f"{chart.x_title} (×100)")
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    if chart.reference is None:
        axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
    else:
        axes.axvline(100 * chart.reference, color=_GREY, linewidth=0.9, zorder=1)
    if len(chart.series) > 1:
        _legend(axes)


def _strip(axes: Axes, chart: Chart) -> None:
    """Categories side by side; each series a column of small dots with its mean among them."""
    columns = {name: place for place, name in enumerate(_categories(chart.series))}
    width = 0.7 / len(chart.series)
    for place, series in enumerate(chart.series):
        colour, shape = palette(place)
        shift = (place - (len(chart.series) - 1) / 2) * width
        groups: dict[str, list[Dot]] = {}
        for dot in series.dots:
            groups.setdefault(str(dot.x), []).append(dot)
        for name, dots in groups.items():
            x = columns[name] + shift
            spread = [x + width * 0.28 * _zigzag(n) for n in range(len(dots))]
            values = [100 * dot.y for dot in dots]
            axes.plot(spread, values, shape, color=colour, markersize=2.2, alpha=0.55, zorder=2)
            mean = sum(values) / len(values)
            axes.plot(
                [x],
                [mean],
                shape,
                color=colour,
                markersize=6,
                zorder=3,
                markeredgecolor="white",
                label=series.name,
            )
    axes.set_xticks(range(len(columns)), list(columns), rotation=90, fontsize=7)
    axes.set_xlim(-0.7, len(columns) - 0.3)
    axes.set_ylim(-4, 104)
    axes.set_xlabel(chart.x_title)
    axes.set_ylabel(f"{chart.y_title} (×100)")
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    _legend(axes)


def _zigzag(n: int) -> float:
    """Spread the dots of one column evenly, by a fixed pattern: the golden section, in [-1, 1]."""
    return 2 * ((n * 0.6180339887) % 1) - 1


def _scatter(axes: Axes, chart: Chart) -> None:
    for place, series in enumerate(chart.series):
        colour, shape = palette(place)
        xs = [100 * float(dot.x) for dot in series.dots]
        ys = [100 * dot.y for dot in series.dots]
        axes.plot(xs, ys, shape, color=colour, markersize=6, label=series.name, alpha=0.8)
    axes.plot([0, 100], [0, 100], color=_GREY, linewidth=0.9, linestyle=":")
    axes.set_xlim(-3, 103)
    axes.set_ylim(-3, 103)
    axes.set_aspect("equal")
    axes.set_xlabel(f"{chart.x_title} (×100)")
    axes.set_ylabel(f"{chart.y_title} (×100)")
    axes.grid(color="#dddddd", linewidth=0.6)
    if len(chart.series) > 1:
        _legend(axes)


def _label_dots(figure: Figure, chart: Chart) -> None:
    """Name each dot of a scatter: the figure is laid out first, since places depend on its size."""
    figure.draw_without_rendering()
    axes = figure.axes[0]
    dots = [dot for series in chart.series for dot in series.dots]
    names = [_short(dot.label, 24) for dot in dots]
    corner = axes.transAxes.transform((0, 0))
    unit = figure.dpi / 72
    places = [
        (axes.transData.transform((100 * float(dot.x), 100 * dot.y)) - corner) / unit
        for dot in dots
    ]
    texts = [axes.text(0, 0, name, fontsize=6, color=_GREY, va="bottom") for name in names]
    boxes = [text.get_window_extent() for text in texts]
    for text in texts:
        text.remove()
    size = (axes.transAxes.transform((1, 1)) - corner) / unit
    placed = place_labels(
        [(float(x), float(y)) for x, y in places],
        [(1.1 * box.width / unit, box.height / unit) for box in boxes],  # widths vary with dpi
        (float(size[0]), float(size[1])),
    )
    for name, dot, label in zip(names, places, placed, strict=True):
        x, y = label.middle / size
        text = axes.text(x, y, name, fontsize=6, color=_GREY, transform=axes.transAxes)
        text.set(ha="center", va="center")
        if label.line_to is not None:
            ends = [dot, label.line_to] / size
            axes.plot(*ends.T, color=_GREY, linewidth=0.5, zorder=1, transform=axes.transAxes)


def _lines(axes: Axes, chart: Chart) -> None:
    from matplotlib import dates

    for place, series in enumerate(chart.series):
        colour, shape = palette(place)
        days = [dates.date2num(datetime.fromtimestamp(float(dot.x), UTC)) for dot in series.dots]
        values = [100 * dot.y for dot in series.dots]
        dash = DASHES[place % len(DASHES)]
        axes.plot(
            days,
            values,
            dash,
            marker=shape,
            color=colour,
            markersize=5,
            linewidth=1.2,
            label=_short(series.name),
        )
    locator = dates.AutoDateLocator(minticks=3, maxticks=8)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(dates.ConciseDateFormatter(locator))
    axes.set_xlabel(f"{chart.x_title} (UTC)")
    axes.set_ylabel(f"{chart.y_title} (×100)")
    axes.grid(color="#dddddd", linewidth=0.6)
    _legend(axes)


def _legend(axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    legend = axes.legend(
        list(unique.values()), list(unique), loc="upper left", bbox_to_anchor=(1.0, 1.0)
    )
    legend.set_frame_on(False)


_COLUMN = 66  # characters in a column of text
_MOST_LINES = 44
_WIDE_FROM = 0x0590  # Latin, Greek, Cyrillic and Armenian letters stand before it


def _wrapped(text: str) -> list[str]:
    lines = [part for line in text.split("\n") for part in _broken(line)]
    return lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], "(goes on)"]


def _broken(line: str) -> list[str]:
    """Break a line between words; a letter of a script that is not narrow takes two places."""
    lines, width = [""], 0
    for word in line.split():
        needed = sum(2 if ord(letter) >= _WIDE_FROM else 1 for letter in word) + 1
        if width + needed > _COLUMN and lines[-1]:
            lines.append("")
            width = 0
        lines[-1] += f" {word}" if lines[-1] else word
        width += needed
    return lines


def _texts(axes: Axes, chart: Chart) -> None:
    axes.set_axis_off()
    for place, (name, text) in enumerate(chart.texts):
        x = place / len(chart.texts) + 0.005
        colour, _ = palette(place)
        axes.text(x, 1.0, name, weight="bold", color=colour, va="top", transform=axes.transAxes)
        body = "\n".join(_wrapped(text)).replace("$", r"\$")
        axes.annotate(
            body,
            (x, 1.0),
            xycoords="axes fraction",
            xytext=(0, -18),
            textcoords="offset points",
            fontsize=6.5,
            va="top",
            linespacing=1.35,
        )


def _short(name: str, most: int = 34) -> str:
    text = name if len(name) <= most else f"{name[: most - 1]}…"
    return text.replace("$", r"\$")


def _fonts(chart: Chart) -> list[str]:
    """Return the families to draw with: the usual one, and others for letters that it lacks."""
    from matplotlib import font_manager

    usual = "DejaVu Sans"
    names = [dot.label + str(dot.x) for series in chart.series for dot in series.dots]
    written = "".join((chart.title, *names, *(a + b for a, b in chart.texts)))
    lacking = {ord(c) for c in written if c.isprintable() and not c.isascii()}
    lacking -= _letters_of(font_manager.findfont(usual))
    families = [usual]
    for entry in font_manager.fontManager.ttflist if lacking else ():
        if "Last Resort" in entry.name:  # it has a box for every letter
            continue
        has = lacking & _letters_of(entry.fname)
        if has:
            families.append(entry.name)
            lacking -= has
    return list(dict.fromkeys(families))


@cache
def _letters_of(font: str) -> frozenset[int]:
    """Return the code points that a font file draws."""
    from matplotlib.ft2font import FT2Font

    return frozenset(FT2Font(font).get_charmap())


_DRAW: dict[str, Callable[[Axes, Chart], None]] = {
    "dots": _dots,
    "strip": _strip,
    "scatter": _scatter,
    "lines": _lines,
    "texts": _texts,
}
