"""Parts that several specifications share: axes of rates, tooltips, words."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from toolgauge.locale import Text, _, translated
from toolgauge.report.vega import Spec

Say = Callable[[Text], str]
"""Puts a message into the language of the chart."""


def say_in(language: str) -> Say:
    """Says things in a language of the interface."""
    return partial(translated, language=language)


def rate_scale(field: str = "value", name: str | None = None, top: float = 1.0) -> Spec:
    """A channel that shows a rate in percent on a scale from 0."""
    scale = {"domain": [0, top], "nice": False}
    return {"field": field, "type": "quantitative", "scale": scale, "axis": percent_axis(name)}


def percent_axis(name: str | None = None) -> Spec:
    return {"format": ".0%", "title": name, "tickCount": 5}


def tooltips(say: Say, *before: Spec, name: str | None = None) -> list[Spec]:
    """Name, value, interval and counts of a row. before: channels ahead of them; name: what the name is, in words."""
    return [
        *before,
        told("name", name or say(_("row"))),
        told("shown", say(_("value"))),
        told("interval", say(_("{level} interval", level="95%"))),
        told("counts", say(_("counts"))),
    ]


def told(field: str, heading: str) -> Spec:
    """A text of the data in a tooltip."""
    return {"field": field, "type": "nominal", "title": heading}


def chart(values: list[Spec], responsive: int = 0, **parts: object) -> Spec:
    """A specification. responsive: smallest width in pixels that it may shrink to on a page, 0 where it never does."""
    usermeta = {"usermeta": {"smallest": responsive}} if responsive else {}
    return {"data": {"values": values}, **usermeta, **parts}
