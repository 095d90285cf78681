"""Charts as Vega-Lite specifications: plain dicts, drawn by pages and turned into SVG without a browser."""

from toolgauge.report.figures.catalogue import Figure, figures_of, headline_scoring, main_figures
from toolgauge.report.figures.theme import themed

__all__ = ["Figure", "figures_of", "headline_scoring", "main_figures", "themed"]
