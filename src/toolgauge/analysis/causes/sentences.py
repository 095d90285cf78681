"""What is sentence of losses, in the terminal, on pages and in exports alike."""

from __future__ import annotations

from collections.abc import Sequence

from toolgauge.analysis.causes.concentration import Concentration
from toolgauge.analysis.causes.examples import VALUE
from toolgauge.analysis.causes.losses import Loss, Losses, NearMisses
from toolgauge.analysis.glossary import scoring_text
from toolgauge.analysis.titles import part_title
from toolgauge.judge.wrong_arguments import WrongArgument, cut_pair
from toolgauge.locale import Text, _, ngettext, pgettext, translated
from toolgauge.reasons import ReasonTexts
from toolgauge.visible import one_line

LONGEST_PLACE = 100
"""Characters of a place's name: tools are called anything."""
PLACES = {
    "position": _("turn {number}"),
    "shape": pgettext("shape", "{name} calls"),
    "tool": _("tool {name}"),
    "parameter": _("parameter {name}"),
    "category": _("category {name}"),
}
"""Dimensions whose values need a word beside them."""
NAMED = frozenset({"tool", "parameter", "position"})
"""Dimensions whose values are names of the data, or numbers."""


def place_title(dimension: str, name: str, language: str) -> str:
    """A place in words: "turn 3", "parallel calls", "tool search_hotels"."""
    words = name if dimension in NAMED else part_title(name, language)
    return translated(PLACES[dimension].filled(name=words, number=words), language) if dimension in PLACES else words


def forgiven_sentence(losses: Losses, language: str) -> str | None:
    """How many tasks a scoring takes for right in which `exact` finds a mistake; None without any."""
    if not losses.forgiven:
        return None
    sentence = ngettext(
        "The exact scoring finds a mistake in {count:,} more, which is right by {scoring}: it is in no loss.",
        "The exact scoring finds a mistake in {count:,} more, which are right by {scoring}: they are in no loss.",
        count=losses.forgiven,
        scoring=scoring_text(losses.scoring),
    )
    return translated(sentence, language)


def size_sentence(loss: Loss, losses: Losses, language: str) -> str:
    """The points of a loss with their interval, and its tasks of those that could be lost to it."""
    low, high = loss.ci95 or (0.0, 100.0)
    sentence = (
        ngettext(
            "{points} points [{low} – {high}], {tasks:,} of {count:,} task",
            "{points} points [{low} – {high}], {tasks:,} of {count:,} tasks",
        )
        if loss.at_risk == losses.scored
        else ngettext(
            "{points} points [{low} – {high}], {tasks:,} of the {count:,} task in which it is possible",
            "{points} points [{low} – {high}], {tasks:,} of the {count:,} tasks in which it is possible",
        )
    )
    values = {"points": f"{loss.points:.1f}", "low": f"{low:.1f}", "high": f"{high:.1f}"}
    return translated(sentence.filled(tasks=loss.tasks, count=loss.at_risk, **values), language)


def place_sentence(place: Concentration, language: str) -> str:
    """How often a mistake is made in a place and elsewhere."""
    sentence = _(
        "{place}: {rate} of {of:,}, elsewhere {elsewhere} of {rest:,} (p {p})",
        place=one_line(place_title(place.dimension, place.name, language), LONGEST_PLACE),
        rate=f"{100 * place.rate:.1f}%",
        of=place.of,
        elsewhere=f"{100 * place.elsewhere_rate:.1f}%",
        rest=place.elsewhere_of,
        p=f"{place.p:.3f}" if place.p >= 0.001 else "< 0.001",
    )
    return translated(sentence, language)


def pattern_sentence(text: str, tasks: int, of: int, language: str) -> str:
    """What a loss usually is, and in how many (tasks) of its tasks (of)."""
    return translated(_("{text} ({tasks} of {of})", text=text, tasks=tasks, of=of), language)


def lead_sentence(losses: Losses, language: str) -> str | None:
    """Whether the first loss is the biggest for certain; None with fewer than two."""
    sentence = _lead(losses)
    return translated(sentence, language) if sentence else None


def _lead(losses: Losses) -> Text | None:
    lead = losses.lead
    if lead is None:
        if len(losses.losses) < 2:
            return None
        return _("Fewer than ten sessions: too few to say which cause costs most.")
    if not lead.clear and not lead.points:
        return _("Causes 1 and 2 cost the same.")
    sentence = (
        _("The first cause costs {points} points more than the second [{low}, {high}]: the order is reliable.")
        if lead.clear
        else _("The first cause costs {points} points more than the second [{low}, {high}]: the order is not certain.")
    )
    low, high = (f"{bound:.1f}".replace("-", "−") for bound in lead.ci95)
    return sentence.filled(points=f"{lead.points:.1f}", low=low, high=high)


def wrong_sentences(wrong: Sequence[WrongArgument], texts: ReasonTexts, language: str, most: int) -> list[str]:
    """Wrong arguments by path with both values and the reason, at most so many, and how many more there are.

    texts: of the codes, in the language.
    """
    several = len({argument.tool for argument in wrong}) > 1
    lines = [_wrong(argument, texts, language, several) for argument in wrong[:most]]
    if len(wrong) > most:
        lines.append(translated(_("… and {count:,} more", count=len(wrong) - most), language))
    return lines


def _wrong(argument: WrongArgument, texts: ReasonTexts, language: str, several: bool) -> str:
    path = f"{argument.tool}({argument.path})" if several and argument.path else argument.path or argument.tool
    nothing = translated(pgettext("value", "nothing"), language)
    made, expected = (
        nothing if text is None else one_line(text) for text in cut_pair(argument.made, argument.expected, VALUE)
    )
    sentence = _(
        "{path}: {made}, expected {expected}: {why}",
        path=one_line(path, LONGEST_PLACE),
        made=made,
        expected=expected,
        why=one_line(argument.why.briefly(texts)),
    )
    return translated(sentence, language)


def near_sentence(near: NearMisses, blocked: Sequence[str], language: str) -> str:
    """How many sessions have one wrong task. blocked: by which mistakes, in words."""
    if not near.sessions:
        return translated(
            ngettext(
                "Near misses: the {count:,} session has no single wrong task.",
                "Near misses: none of {count:,} sessions has only one wrong task.",
                count=near.of,
            ),
            language,
        )
    sentence = ngettext(
        "Near misses: {count:,} of {of:,} sessions has one wrong task, {points} points of session accuracy. "
        "Causes: {blocked}.",
        "Near misses: {count:,} of {of:,} sessions have one wrong task, {points} points of session accuracy. "
        "Causes: {blocked}.",
        count=near.sessions,
        of=near.of,
        points=f"{near.points:.1f}",
        blocked=blocked,
    )
    return translated(sentence, language)
