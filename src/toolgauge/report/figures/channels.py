"""Parts that several specifications share: axes of rates, tooltips, words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from toolgauge.report.vega import Spec
from toolgauge.report.wording import words

Say = Callable[[str], str]


def say_in(language: str) -> Say:
    """The words of the charts in a language of the interface, by key."""
    texts = words(("figures",), language)
    return partial(_said, texts)


def _said(texts: Mapping[str, str], key: str) -> str:
    return texts[key]


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
        told("name", name or say("name")),
        told("shown", say("value")),
        told("interval", say("interval")),
        told("counts", say("counts")),
    ]


def told(field: str, heading: str) -> Spec:
    """A text of the data in a tooltip."""
    return {"field": field, "type": "nominal", "title": heading}


def chart(values: list[Spec], responsive: int = 0, **parts: object) -> Spec:
    """A specification. responsive: smallest width in pixels that it may shrink to on a page, 0 where it never does."""
    usermeta = {"usermeta": {"smallest": responsive}} if responsive else {}
    return {"data": {"values": values}, **usermeta, **parts}
