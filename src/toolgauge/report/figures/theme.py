"""The look of all charts: one Vega-Lite configuration in two sets of colours, the ones of assets/base.css.

Specifications name styles and ranges, never colours: a chart becomes dark by its configuration alone.
"""

from __future__ import annotations

from typing import Literal

from toolgauge.report.vega import Spec

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
"""Names the version of the language; nothing is fetched from there."""
Theme = Literal["light", "dark"]
FONT = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "PingFang SC", "Microsoft YaHei", '
    '"Noto Sans CJK SC", "Noto Sans SC", sans-serif'
)
COLOURS: dict[Theme, dict[str, str]] = {
    "light": {
        "paper": "#ffffff",
        "soft": "#f6f6f4",
        "line": "#dfdfda",
        "ink": "#1b1e22",
        "muted": "#656a71",
        "accent": "#0b6a86",
        "heat-low": "#f7f4ec",
        "heat-high": "#3191aa",
    },
    "dark": {
        "paper": "#14171a",
        "soft": "#1d2125",
        "line": "#343a40",
        "ink": "#e5e6e4",
        "muted": "#9aa2aa",
        "accent": "#62bdd8",
        "heat-low": "#1d2125",
        "heat-high": "#166c84",
    },
}
"""By the names of base.css's variables."""
CATEGORIES: dict[Theme, tuple[str, ...]] = {
    "light": ("#0b6a86", "#d55e00", "#009e73", "#b8578f", "#b37c00", "#3a86c8"),
    "dark": ("#62bdd8", "#f28e4c", "#4cc9a3", "#e3a0c5", "#e8bd52", "#9cc4ee"),
}
"""Colours that stay apart for colour-blind readers (after Okabe and Ito, Color Universal Design, 2008)."""
HEAT_STOPS = 9


def themed(spec: Spec, theme: Theme = "light") -> Spec:
    """The specification with the configuration of a theme."""
    return {"$schema": SCHEMA, **spec, "config": configuration(theme)}


def heat_scale(theme: Theme) -> list[str]:
    """The colours of base.css's heat cells (mixed in oklab) at even steps from 0 to 1."""
    low, high = (_oklab(COLOURS[theme][name]) for name in ("heat-low", "heat-high"))
    shares = [step / (HEAT_STOPS - 1) for step in range(HEAT_STOPS)]
    return [_hex([a + share * (b - a) for a, b in zip(low, high, strict=True)]) for share in shares]


def configuration(theme: Theme) -> Spec:
    """Vega-Lite's `config`."""
    colour = COLOURS[theme]
    quiet = {"labelColor": colour["muted"], "titleColor": colour["muted"], "labelFontSize": 12, "titleFontSize": 12}
    return {
        "background": colour["paper"],
        "font": FONT,
        "view": {"stroke": None},
        "padding": 4,
        "title": {"anchor": "start", "fontSize": 15, "fontWeight": 600, "color": colour["ink"], "offset": 14}
        | {"subtitleColor": colour["muted"], "subtitleFontSize": 12, "subtitlePadding": 5},
        "axis": quiet
        | {"titleFontWeight": "normal", "domainColor": colour["line"], "tickColor": colour["line"]}
        | {"gridColor": colour["line"], "gridOpacity": 0.6, "labelLimit": 200, "labelPadding": 6},
        "axisY": {"labelColor": colour["ink"]},
        "legend": quiet | {"titleFontWeight": "normal", "labelLimit": 320, "symbolLimit": 60},
        "range": {"category": list(CATEGORIES[theme]), "heatmap": heat_scale(theme), "ramp": heat_scale(theme)},
        "style": _styles(colour),
    }


def _styles(colour: dict[str, str]) -> Spec:
    """Styles of marks that specifications name."""
    return {
        "own": {"color": colour["accent"]},
        "other": {"color": colour["muted"]},
        "interval": {"color": colour["ink"], "strokeWidth": 1.2},
        "cell": {"stroke": colour["paper"], "strokeWidth": 1.5},
        "fine-cell": {"stroke": colour["line"], "strokeWidth": 0.6},
        "ground": {"color": colour["soft"]},
        "value": {"color": colour["ink"], "fontSize": 12},
        "small-value": {"color": colour["ink"], "fontSize": 10.5},
        "note": {"color": colour["muted"], "fontSize": 12},
    }


def _oklab(colour: str) -> list[float]:
    """sRGB to oklab (Ottosson, A perceptual color space for image processing, 2020)."""
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return [
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    ]


def _hex(oklab: list[float]) -> str:
    lightness, a, b = oklab
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    channels = (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )
    return "#" + "".join(f"{round(255 * _gamma(min(1.0, max(0.0, value)))):02x}" for value in channels)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)


def _gamma(channel: float) -> float:
    return 12.92 * channel if channel <= 0.0031308 else float(1.055 * channel ** (1 / 2.4) - 0.055)
