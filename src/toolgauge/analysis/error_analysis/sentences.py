"""What is said of losses, in the terminal and on pages alike."""

from __future__ import annotations

from toolgauge.analysis.error_analysis.concentration import Concentration
from toolgauge.analysis.error_analysis.losses import Loss, Losses
from toolgauge.analysis.error_analysis.oneline import one_line
from toolgauge.analysis.error_analysis.words import place_title, say

LONGEST_PLACE = 100
"""Characters of a place's name: tools are called anything."""


def opening_sentence(found: Losses, language: str) -> str:
    """How much is right, how much is lost, by how many kinds of mistakes."""
    if found.accuracy is None or found.points is None:
        return say("nothing", language)
    if not found.losses:
        return say("perfect", language, scored=f"{found.scored:,}")
    kinds = len(found.losses)
    values = {"accuracy": f"{found.accuracy:.1f}", "scored": f"{found.scored:,}", "points": f"{found.points:.1f}"}
    return say("opening" if kinds > 1 else "opening_one", language, kinds=kinds, **values)


def size_sentence(loss: Loss, found: Losses, language: str) -> str:
    """The points of a loss with their interval, and its tasks of those that could be lost to it."""
    low, high = loss.ci95 or (0.0, 100.0)
    values = {"points": f"{loss.points:.1f}", "low": f"{low:.1f}", "high": f"{high:.1f}"}
    key = "loss" if loss.at_risk == found.scored else "loss_possible"
    return say(key, language, tasks=f"{loss.tasks:,}", at_risk=f"{loss.at_risk:,}", **values)


def place_sentence(place: Concentration, language: str) -> str:
    """How often a mistake is made in a place and elsewhere."""
    p = f"{place.p:.3f}" if place.p >= 0.001 else "< 0.001"
    name = one_line(place_title(place.dimension, place.name, language), LONGEST_PLACE)
    rates = {"rate": f"{100 * place.rate:.1f}", "elsewhere": f"{100 * place.elsewhere_rate:.1f}"}
    return say("place", language, place=name, of=f"{place.of:,}", rest=f"{place.elsewhere_of:,}", p=p, **rates)


def lead_sentence(found: Losses, language: str) -> str | None:
    """Whether the first loss is the biggest for certain; None with fewer than two."""
    if found.lead is None:
        return say("lead_unknown", language) if len(found.losses) > 1 else None
    low, high = (f"{bound:.1f}".replace("-", "−") for bound in found.lead.ci95)
    key = "lead_clear" if found.lead.clear else "lead_open" if found.lead.points else "lead_equal"
    return say(
        key, language, ahead=f"{100 * found.lead.ahead:.0f}", points=f"{found.lead.points:.1f}", low=low, high=high
    )
