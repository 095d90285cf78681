"""The figures of a run as SVG files: which there are (`figure_files`), and how a chart becomes a file (`svg_file`).

A file stands alone: it holds the pages' drawings (`marks.py`) with the rules of assets/marks.css in the light colours,
on white, its headings as text; no script, nothing from elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, takewhile
from unicodedata import east_asian_width

from markupsafe import Markup
from msgspec.structs import replace

from toolgauge.analysis.cells import UNREADABLE
from toolgauge.analysis.glossary import scoring_name
from toolgauge.analysis.numbers import Metrics, Rate, Rows, Tables
from toolgauge.analysis.titles import part_title, title
from toolgauge.data.files import StatisticsTable
from toolgauge.data.session import KINDS
from toolgauge.locale import Text, _, pgettext, plain, translated
from toolgauge.report.display import display_of
from toolgauge.report.frame import ASSETS
from toolgauge.report.marks import (
    FEW,
    PLANE_HEIGHT,
    Chart,
    DotChart,
    DotMark,
    DotRow,
    HeatCell,
    HeatRow,
    HeatTable,
    Scatter,
    axis,
    dots,
    element,
    ends_of,
    grid,
    key_mark,
    number_scale,
    plane,
    rate_scale,
    shapes,
    shortened,
)

CAPTIONS = {
    "accuracy": _("Accuracy by task type"),
    "matrix": _("Accuracy by task type and turn"),
    "mistakes": _("Failure causes: shares of the failed tasks"),
    "orchestration": _("Multi-tool tasks: accuracy, optimal path (OP), accomplish progress (AP)"),
    "transitions": _("Accuracy by changes of task type"),
    "routes": _("Accuracy by sequence of task types, up to the task that is asked"),
    "groups": _("Groups of categories"),
    "categories": pgettext("caption", "Categories"),
    "errors": _("Failure causes of wrong entries"),
}
"""By the names of figures; one that has none here is called by its name."""
TEXT_RULES = """
text { font: 13px var(--sans); fill: var(--ink); }
.title { font-size: 15px; font-weight: 600; }
.small { font-size: 12px; fill: var(--muted); }
.strong { font-weight: 600; }
.few { font-style: italic; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.paper { fill: var(--paper); }
.heat-low { fill: var(--heat-low); }
.heat-high { fill: var(--heat-high); }
.rule { stroke: var(--ink); }
"""
MOST_RANKED = 24
MARGIN = 14
TOP = 64
"""Where the chart begins, below its title and subtitle."""
ROW = 26
WIDEST_HEADING = 300
VALUE, INTERVAL = 50, 96
"""Widths of the columns of numbers."""
DRAWING = 340
WIDEST_COLUMN = 190
CELL = (76, 36)
"""Width and height of a cell in a table with columns."""
NESTED_WIDTH = 880
"""Of all cells in a row of a table without columns."""
SHADES = (0.0, 0.25, 0.5, 0.75, 1.0)


def figure_files(metrics: Metrics, scoring: str, language: str) -> dict[str, str]:
    """The figures of a run in one scoring, by name: each a whole SVG file on white.

    language: of the texts, "en" or "zh". Figures without a value are left out; a scoring that the metrics do not have
    has none.
    """
    if scoring not in metrics.scorings:
        return {}
    subtitle = f"{metrics.title} · {metrics.language} · {scoring_name(scoring, language)}"
    charts = display_of(metrics.benchmark).figures(metrics, scoring, language)
    return {
        name: svg_file(replace(chart, caption=translated(CAPTIONS.get(name, plain(name)), language)), subtitle)
        for name, chart in charts
        if chart is not None
    }


def rate_chart(
    entries: Iterable[tuple[str, Rate | None]], measure: Text, language: str, ranked: bool = False
) -> DotChart | None:
    """Rates with their intervals, a row each, from 0 to 100%; None where no entry has a value.

    entries: heading and rate; measure: what the rates are. ranked: the highest MOST_RANKED alone, from the highest on,
    on a scale that ends behind them.
    """
    rows = [rate_row(heading, rate) for heading, rate in entries if rate is not None and rate.value is not None]
    if ranked:
        rows = sorted(rows, key=lambda row: -row.marks[0].value)[:MOST_RANKED]
    ends = ends_of(mark for row in rows for mark in row.marks)
    percent = translated(_("{measure}, percent", measure=measure), language)
    return DotChart("", "", percent, rate_scale(ends, whole=not ranked), tuple(rows)) if rows else None


def chosen_rates(tables: Tables, language: str, **chosen: Sequence[str]) -> Iterator[tuple[str, Rate | None]]:
    """Headings and rates for `rate_chart`. chosen: rows by the table of metrics.json that they stand in."""
    for table, rows in chosen.items():
        for row in rows:
            yield part_title(row, language), tables.get(table, {}).get(row)


def rate_row(heading: str, rate: Rate) -> DotRow:
    """A rate, which has a value, with its interval and counts."""
    value = rate.value or 0.0
    interval = f"{100 * rate.ci95[0]:.1f} – {100 * rate.ci95[1]:.1f}" if rate.ci95 else ""
    mark = DotMark(value, rate.ci95)
    return DotRow(shortened(heading), (mark,), f"{100 * value:.1f}", interval, about=counts_of(rate))


def counts_of(rate: Rate) -> str:
    return f"{count_text(rate.correct)} / {count_text(rate.total)}"


def count_text(number: float) -> str:
    """A count for people; ACEBench's may be fractions."""
    return f"{number:,.0f}" if number == int(number) else f"{number:,.1f}"


def mistake_chart(mistakes: Rows, measure: Text, language: str) -> DotChart | None:
    """The classes of mistakes that happened, the most frequent first. mistakes: the table of metrics.json."""
    happened = ((title(name, language, "mistakes"), rate) for name, rate in mistakes.items() if rate.correct)
    return rate_chart(happened, measure, language, ranked=True)


def statistics_figures(tables: Sequence[StatisticsTable], subtitle: str) -> Iterator[tuple[str, str]]:
    """The tables of `data stats` that are counts as SVG files by their titles: what is counted stands at the axis."""
    for table in tables:
        counts = [[int(cell) for cell in row[1:] if cell.isdecimal()] for row in table.rows]
        if not all(counts) or not table.header[0] + table.header[1]:
            continue
        if all(len(row) == len(table.header) - 1 > 2 for row in counts):
            most = max(map(max, counts)) or 1
            cells = [tuple(HeatCell(f"{count:,}", count / most) for count in row) for row in counts]
            rows = tuple(HeatRow(row[0], drawn) for row, drawn in zip(table.rows, cells, strict=True))
            yield table.title, svg_file(HeatTable(table.title, "", table.header[1:], rows), subtitle)
        else:
            dotted = tuple(
                DotRow(row[0], (DotMark(own[0]),), f"{own[0]:,}", row[2] if len(row) > 2 else "")
                for row, own in zip(table.rows, counts, strict=True)
            )
            scale = number_scale(own[0] for own in counts)
            yield (
                table.title,
                svg_file(DotChart(table.title, table.header[0], table.header[1], scale, dotted), subtitle),
            )


def kind_by_turn(layers: Rows, language: str, link: Callable[[str], str] | None = None) -> HeatTable | None:
    """Accuracy by kind of task and turn; None where nothing was scored.

    layers: the table of metrics.json, rows "kind@turn"; link: where the cell of a row leads.
    """
    if not any(rate.value is not None for rate in layers.values()):
        return None
    turns = list(dict.fromkeys(row.partition("@")[2] for row in layers))
    rows = []
    for kind in (*KINDS, "all"):
        cells = [
            _turn_cell(layers.get(row), link(row) if link else "", language)
            for row in (f"{kind}@{turn}" for turn in turns)
        ]
        rows.append(HeatRow(title(kind, language), tuple(cells)))
    headings = tuple(title("all", language) if turn == "all" else turn for turn in turns)
    caption, corner = translated(CAPTIONS["matrix"], language), translated(_("task type"), language)
    return HeatTable(caption, corner, headings, tuple(rows))


def _turn_cell(rate: Rate | None, link: str, language: str) -> HeatCell:
    if rate is None:
        return HeatCell()
    counts = counts_of(rate)
    if rate.not_judgeable:
        said = _("{counts}; not judgeable: {number:,}", counts=counts, number=rate.not_judgeable)
        counts = translated(said, language)
    if rate.value is None:
        return HeatCell(about=counts if rate.not_judgeable else "")
    return HeatCell(f"{100 * rate.value:.1f}", rate.value, link, counts, rate.total < FEW)


def svg_file(chart: Chart, subtitle: str) -> str:
    """A chart as a whole SVG file, under its caption and a line of small text; what XML cannot hold is "�"."""
    if isinstance(chart, DotChart):
        width, height, drawn = _dot_rows(chart)
    elif isinstance(chart, HeatTable):
        width, height, drawn = _heat_cells(chart)
    else:
        width, height, drawn = _plane(chart)
    width = max(width, round(text_width(chart.caption, 16)) + 2 * MARGIN)
    around = {"xmlns": "http://www.w3.org/2000/svg", "width": width, "height": height}
    file = element(
        "svg",
        element("title", chart.caption),
        Markup(f"<style>{_rules()}</style>"),  # noqa: S704 - our own files
        shapes(),
        element("rect", class_="paper", width=width, height=height),
        _text(chart.caption, MARGIN, 26, "title"),
        _text(subtitle, MARGIN, 44, "small"),
        *drawn,
        **around,
        viewBox=f"0 0 {width} {height}",
    )
    return UNREADABLE.sub("\ufffd", file)


@cache
def _rules() -> str:
    """The pages' rules for marks with the light colours in place of their variables, and those of a file's texts."""
    base, marks = ((ASSETS / name).read_text(encoding="utf-8") for name in ("base.css", "marks.css"))
    variables = {
        name: light or value
        for name, light, value in re.findall(r"^  (--[\w-]+): (?:light-dark\((#\w+), #\w+\)|([^;]+));", base, re.M)
    }
    drawing = re.findall(r"^(?:svg\.marks|\.marks|\.span-|\.mark-|\.computed|\.joined).*$", marks, re.M)
    return re.sub(r"var\((--[\w-]+)\)", lambda match: variables[match[1]], TEXT_RULES + "\n".join(drawing))


Drawn = tuple[int, int, list[Markup]]
"""Width and height of a file, and what it shows below its title."""


def _dot_rows(chart: DotChart) -> Drawn:
    """A heading, a number, its interval and a drawing in each row; the axis above."""
    headings = [chart.heading, *(row.heading for row in chart.rows)]
    wide = min(WIDEST_HEADING, max(text_width(heading) for heading in headings))
    values = MARGIN + round(wide) + VALUE
    numbers, left = values + INTERVAL, values + INTERVAL + 26
    first, width = TOP + 28, left + DRAWING + 2 * MARGIN
    place = {"x": left, "width": DRAWING}
    height = first + ROW * len(chart.rows) + MARGIN
    drawn = [
        _text(chart.heading, MARGIN, TOP + 16, "small"),
        _text(chart.measure, numbers, TOP + 16, "small end"),
        axis(chart.scale, **place, y=TOP, height=20),
        element("line", class_="rule", x1=MARGIN, x2=width - MARGIN, y1=first - 4, y2=first - 4),
        element("svg", *grid(chart.scale), class_="marks", **place, y=first - 4, height=ROW * len(chart.rows)),
    ]
    for number, row in enumerate(chart.rows):
        top = first + ROW * number - 4
        drawn += [
            _text(_clipped(row.heading, wide), MARGIN, top + 18, about=row.about),
            _text(row.text, values, top + 18, "strong end"),
            _text(row.more, numbers, top + 18, "small end"),
            dots(row, chart.scale, lined=False, **place, y=top, height=ROW),
        ]
    return width, height, drawn


def _heat_cells(table: HeatTable) -> Drawn:
    """Rows of coloured cells, with their texts where these have room; a legend where one has none."""
    headings = [table.corner, *(row.heading for row in table.rows)]
    wide = min(WIDEST_HEADING, max(text_width(heading) for heading in headings))
    left, first = MARGIN + round(wide) + 12, TOP + 24
    column = max(CELL[0], *(min(WIDEST_COLUMN, round(text_width(name)) + 12) for name in table.columns or ("",)))
    across = len(table.columns) * column or NESTED_WIDTH
    drawn = [_text(table.corner, MARGIN, first - 8, "small")]
    for number, name in enumerate(table.columns):
        drawn.append(_text(_clipped(name, column), left + column * (number + 0.5), first - 8, "small middle"))
    hidden = False
    for number, row in enumerate(table.rows):
        top, width = first + CELL[1] * number, across / max(1, len(row.cells))
        drawn.append(_text(_clipped(row.heading, wide), MARGIN, top + 22))
        for place, cell in enumerate(row.cells):
            fits = text_width(cell.text) < width - 12
            hidden = hidden or not fits
            if cell.text:
                drawn += _heat_cell(cell, left + width * place, top, width, fits)
    bottom = first + CELL[1] * len(table.rows)
    if hidden:
        drawn += _shades(left, bottom + 10)
        bottom += 40
    return left + across + MARGIN, bottom + MARGIN, drawn


def _heat_cell(cell: HeatCell, left: float, top: float, width: float, texted: bool) -> Iterator[Markup]:
    gap = 2 if width > 20 else 0.5
    box = {"x": round(left, 2), "y": top, "width": round(width - gap, 2), "height": CELL[1] - 2}
    yield element("rect", class_="heat-low", **box)
    yield element("rect", element("title", cell.about), class_="heat-high", fill_opacity=round(cell.share, 3), **box)
    if texted:
        yield _text(cell.text, left + (width - gap) / 2, top + 22, "middle few" if cell.few else "middle")


def _shades(left: float, top: float) -> Iterator[Markup]:
    for number, share in enumerate(SHADES):
        yield from _heat_cell(HeatCell(f"{100 * share:.0f}%", share), left + 48 * number, top, 48, texted=True)


def _plane(scatter: Scatter) -> Drawn:
    """The plane below the names of its curves and of its axes."""
    drawn, top = list[Markup](), TOP + 10 + 20 * len(scatter.curves)
    for number, (kind, name) in enumerate(scatter.curves):
        line = TOP + 8 + 20 * number
        drawn += [key_mark(kind, x=MARGIN, y=line - 11), _text(name, MARGIN + 36, line)]
    left, width = MARGIN + 40, NESTED_WIDTH // 2
    bottom = top + 24 + PLANE_HEIGHT
    drawn += [
        _text(scatter.y_title, MARGIN, top + 6, "small"),
        plane(scatter, x=left, y=top + 24, width=width),
        _text(scatter.x_title, left + width, bottom + 38, "small end"),
    ]
    return left + width + 2 * MARGIN, bottom + 50, drawn


def _text(text: str, x: float, y: float, look: str | None = None, about: str = "") -> Markup:
    inside = [element("title", about)] if about else []
    return element("text", text, *inside, class_=look, x=round(x, 2), y=y)


def text_width(text: str, size: float = 13) -> float:
    """About as wide as a text is in pixels, in a font that nobody knows: what is wide in East Asia is a square."""
    return sum(size if east_asian_width(char) in "WF" else 0.58 * size for char in text)


def _clipped(text: str, width: float) -> str:
    """A text, or as much of its beginning as has room; each character is measured once: names may be very long."""
    room = max(width, 26)
    if text_width(text) <= room:
        return text
    widths = accumulate(map(text_width, text))
    return text[: sum(1 for _ in takewhile(lambda used: used + text_width("…") <= room, widths))] + "…"
