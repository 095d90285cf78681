"""What pages draw: dots with intervals, heat cells, points in a plane; positions and texts, without colours."""

from toolgauge.report.marks.dots import DotChart, DotMark, DotRow, Kind
from toolgauge.report.marks.heat import HeatCell, HeatRow, HeatTable
from toolgauge.report.marks.scale import Scale, difference_scale, number_scale, rate_scale
from toolgauge.report.marks.scatter import Point, Scatter, scatter_of

__all__ = [
    "DotChart",
    "DotMark",
    "DotRow",
    "HeatCell",
    "HeatRow",
    "HeatTable",
    "Kind",
    "Point",
    "Scale",
    "Scatter",
    "difference_scale",
    "number_scale",
    "rate_scale",
    "scatter_of",
]
