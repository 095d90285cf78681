"""What has to stand beside every score of a run: short notes and warnings, made of its numbers.

The terminal, pages and exports print this list and know nothing of what is in it. A new kind of note is a function
here, in `_KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum

from msgspec import UNSET, Struct

from toolgauge.analysis.glossary import scoring_text
from toolgauge.analysis.layout import layout_of
from toolgauge.analysis.numbers import AppliedCorrections, Metrics, Rate
from toolgauge.analysis.replies import SignKind
from toolgauge.analysis.titles import TITLES
from toolgauge.call_problems import CallProblem
from toolgauge.judge.verdict import EXACT
from toolgauge.locale import Text, _, ngettext
from toolgauge.models.endings import Unfinished

WARN_FROM = 0.01
"""The share of unfinished replies from which on a score says less about the model than about its limits."""

SURE_FROM = 0.8
"""The lower bound of the interval from which on a perfect score says something about the benchmark."""

MAIN_ROWS = 3
"""Of a scoring, that a note names."""
NAMED = 10
"""Tasks that a note names; metrics.json has all of them."""


class NoteLevel(StrEnum):
    NOTE = "note"
    WARNING = "warning"


class Note(Struct, frozen=True):
    """Something to know about a score.

    text: sentences; short: the same in a few words, for cells of tables; None where it is no news there.
    """

    level: NoteLevel
    text: Text
    short: Text | None

    @property
    def warns(self) -> bool:
        return self.level is NoteLevel.WARNING


def notes(metrics: Metrics) -> list[Note]:
    """The notes on a run's scores, warnings first."""
    listed = [note for kind in _KINDS for note in kind(metrics)]
    return sorted(listed, key=lambda note: not note.warns)


def _saturated(metrics: Metrics) -> Iterator[Note]:
    """That a benchmark cannot tell the model from a better one: all is right, or might be; or that all is right of too
    few tasks to say so."""
    scoring = metrics.headline if metrics.headline in metrics.scorings else EXACT
    is_scored = metrics.benchmark and metrics.scorings
    rate = metrics.rate(str(scoring), *layout_of(metrics.benchmark).main) if is_scored else None
    if rate is None or rate.value is None or rate.ci95 is None:
        return
    low, high = (f"{100 * bound:.1f}%" for bound in rate.ci95)
    if rate.value == 1 and rate.ci95[0] < SURE_FROM:
        few = _("Everything that is scored is right, but that is little: the {level} interval begins at {low}.")
        yield Note(NoteLevel.NOTE, few.filled(level="95%", low=low), _("all right, of few"))
    elif rate.value == 1:
        all_right = _(
            "Everything that is scored is right ({level} interval from {low}): the benchmark is saturated for this "
            "model, and cannot tell it from a better one.",
            level="95%",
            low=low,
        )
        yield Note(NoteLevel.NOTE, all_right, _("saturated"))
    elif high == "100.0%" and rate.ci95[0] >= SURE_FROM:
        reaches = _("The {level} interval reaches {all}: the benchmark is nearly saturated for this model.")
        yield Note(NoteLevel.NOTE, reaches.filled(level="95%", all="100%"), _("nearly saturated"))


def _no_better_than_silence(metrics: Metrics) -> Iterator[Note]:
    """That a score says no more than one that is had for nothing."""
    if metrics.floor and metrics.floor.apart is False:
        rate = f"{metrics.floor.value:.1%}"
        sentence = _("This score cannot be told apart from that of a model that never calls ({rate}).", rate=rate)
        yield Note(NoteLevel.WARNING, sentence, _("no better than silence"))


COUNTED = {
    Unfinished.TRUNCATED: _("{rate} of the replies were cut off by the token limit"),
    Unfinished.FILTERED: _("{rate} of the replies were filtered, or refused by the API"),
    Unfinished.ONLY_REASONING: _("{rate} of the replies hold nothing but reasoning"),
}
SHORT = {
    Unfinished.TRUNCATED: _("{rate} cut off"),
    Unfinished.FILTERED: _("{rate} filtered"),
    Unfinished.ONLY_REASONING: _("{rate} only reasoning"),
}
ADVICE = {
    Unfinished.TRUNCATED: _(
        "raise {option} or the context length of the server, unless these replies repeat themselves without end",
        option="--max-tokens",
    ),
    Unfinished.FILTERED: _("look at these replies, and at the content filter of the endpoint"),
    Unfinished.ONLY_REASONING: _(
        "lower {effort}, raise {limit}, or check how the server separates reasoning from the answer",
        effort="sampling.reasoning_effort",
        limit="--max-tokens",
    ),
}
"""What to change where there are many of them."""


def _endings(metrics: Metrics) -> Iterator[Note]:
    """How the replies ended: the share of each kind that is unfinished."""
    endings = metrics.endings
    if endings is UNSET or not endings.replies:
        return
    for kind, count in endings.by_kind().items():
        if not count.replies:
            continue
        rate = f"{count.rate:.1%}"
        sentence = _(
            "{what} ({replies:,} of {all:,}; tasks concerned: {tasks:,})",
            what=COUNTED[kind].filled(rate=rate),
            replies=count.replies,
            all=endings.replies,
            tasks=count.tasks,
        )
        yield _advised(sentence, SHORT[kind].filled(rate=rate), count.rate, ADVICE[kind])
    if not endings.known:
        yield Note(NoteLevel.NOTE, _("How the replies ended is not recorded."), _("endings not recorded"))


def _advised(said: Text, short: Text, share: float, advice: Text) -> Note:
    """A warning with advice from `WARN_FROM` on."""
    if share < WARN_FROM:
        return Note(NoteLevel.NOTE, _("{said}.", said=said), short)
    return Note(NoteLevel.WARNING, _("{said}: {advice}.", said=said, advice=advice), short)


LEFT = {
    CallProblem.LEFT_IN_TEXT.value: _("A call stood in the text in {count:,} of {all:,} replies: the server's parser"),
    CallProblem.LEFT_IN_REASONING.value: _(
        "A call stood in the reasoning field in {count:,} of {all:,} replies: the server's reasoning parser"
    ),
    CallProblem.LEFT_IN_CHOICE.value: _("A call stood in another choice in {count:,} of {all:,} replies: the server"),
    CallProblem.LEFT_IN_FIELD.value: _(
        "A call stood in the old field function_call in {count:,} of {all:,} replies: the server"
    ),
    CallProblem.ANNOUNCED.value: _(
        "A call was announced and not sent in {count:,} of {all:,} replies: the server's parser"
    ),
    CallProblem.MARKED_NAME.value: _(
        "The name of a tool had the server's marks in {count:,} of {all:,} replies: the server's parser"
    ),
}
"""Where a server left calls that it was to parse."""


def _interface(metrics: Metrics) -> Iterator[Note]:
    """What the server did with calls, apart from what the model did."""
    interface = metrics.interface
    if interface is UNSET:
        return
    advice = _(
        "start it with the parser of this model ({serve}), or use {dialect}; {score} reads what is recorded",
        serve="`toolgauge serve --print`",
        dialect=f"--dialect {interface.dialect or 'auto'}",
        score=f"`toolgauge score --dialect {interface.dialect or 'generic'}`",
    )
    for kind, count in interface.left.items():
        sentence = LEFT[kind].filled(count=count, all=interface.replies)
        short = _("calls left by the server in {count:,} of {all:,} replies", count=count, all=interface.replies)
        yield _advised(sentence, short, count / max(1, interface.replies), advice)
    cut = metrics.endings.truncated.replies if metrics.endings else 0
    if interface.loops and cut:
        loops = _(
            "{count:,} of {all:,} cut-off replies repeat themselves: more tokens will not help",
            count=interface.loops,
            all=cut,
        )
        yield Note(NoteLevel.WARNING, _("{said}.", said=loops), _("{count:,} loops", count=interface.loops))


SIGNS = {
    SignKind.TEMPLATE_MARKS: _(
        "{count:,} of {all:,} replies hold marks of a chat template: the server uses another template than this "
        "model's, or this is a base model. Serve an instruction-tuned model with its own template."
    ),
    SignKind.NO_CALL: _(
        "No tool was called in {all:,} tasks in which a call was due: {probe} says whether the tools reach the model, "
        "and whether it writes calls that another {dialect} reads.",
        probe="`toolgauge probe`",
        dialect="--dialect",
    ),
    SignKind.ALIKE: _(
        "The first reply is the same in {count:,} of {all:,} tasks: the model may not see what it is asked. Look at "
        "some of them with {view}, and at the server's chat template.",
        view="`toolgauge view`",
    ),
    SignKind.EMPTY: _(
        "{count:,} of {all:,} replies are empty: look at the server's chat template, its stop words, and how it "
        "separates reasoning from the answer."
    ),
    SignKind.UNKNOWN_TOOLS: _(
        "{count:,} of {all:,} calls name tools that are not available: {probe} says whether the server passes the "
        "tools on; if it does, the model invents them.",
        probe="`toolgauge probe`",
    ),
    SignKind.UNREAD_CALLS: _(
        "{count:,} of {all:,} replies with calls cannot be read: the wrong dialect? {probe} says how the model writes "
        "calls, {dialect} how they are read.",
        probe="`toolgauge probe`",
        dialect="--dialect",
    ),
    SignKind.CALLS_AS_TEXT: _(
        "In {count:,} of {all:,} tasks in which a call was due the model wrote it as text, where it is not read: "
        "switch tool calling on in the server, or use the {dialect} of this model.",
        dialect="--dialect",
    ),
}
OF_AGENTS = {
    SignKind.TEMPLATE_MARKS: _(
        "{count:,} of {all:,} replies hold marks of a chat template: look at how the agent's model is served."
    ),
    SignKind.NO_CALL: _(
        "No tool was called in {all:,} tasks in which a call was due, though the agent listed its tools."
    ),
    SignKind.ALIKE: _(
        "The first reply is the same in {count:,} of {all:,} tasks: look at some of them with {view}.",
        view="`toolgauge view`",
    ),
    SignKind.EMPTY: _("{count:,} of {all:,} replies are empty."),
    SignKind.UNKNOWN_TOOLS: _(
        "{count:,} of {all:,} calls name tools that are not available: the agent or its model invents them."
    ),
    SignKind.UNREAD_CALLS: _(
        "{count:,} of {all:,} replies with calls cannot be read: their arguments are no JSON objects."
    ),
    SignKind.CALLS_AS_TEXT: _(
        "In {count:,} of {all:,} tasks in which a call was due the agent answered with a call as text: its "
        "framework does not read how its model writes calls."
    ),
    SignKind.NO_TOOLS: _(
        "No tools/list was completed, and no tool called, in {count:,} of {all:,} conversations: the agent does not "
        "know its tools. It must connect to the MCP server whose address it is given for each conversation "
        "(docs/agents.md)."
    ),
}
"""The same of an agent under test, which has no dialect and takes no probe of an endpoint."""
SHORT_SIGNS = {
    SignKind.TEMPLATE_MARKS: _("template marks in {count:,} of {all:,} replies"),
    SignKind.NO_CALL: _("no call in {all:,} tasks"),
    SignKind.ALIKE: _("same reply in {count:,} of {all:,} tasks"),
    SignKind.EMPTY: _("{count:,} of {all:,} replies empty"),
    SignKind.UNKNOWN_TOOLS: _("{count:,} of {all:,} calls of unknown tools"),
    SignKind.UNREAD_CALLS: _("calls unreadable in {count:,} of {all:,} replies"),
    SignKind.CALLS_AS_TEXT: _("calls as text in {count:,} of {all:,} tasks"),
    SignKind.NO_TOOLS: _("tools not listed in {count:,} of {all:,} conversations"),
}


def _signs(metrics: Metrics) -> Iterator[Note]:
    """What looks like a fault of the set-up, and what to do about it."""
    for sign in metrics.signs or ():
        numbers = {"count": sign.count, "all": sign.all}
        texts = OF_AGENTS if sign.agent else SIGNS
        yield Note(NoteLevel.WARNING, texts[sign.kind].filled(**numbers), SHORT_SIGNS[sign.kind].filled(**numbers))


def _overflows(metrics: Metrics) -> Iterator[Note]:
    """How many tasks have no score because nobody could ask them."""
    if count := metrics.overflows:
        sentence = ngettext(
            "Without a score because the conversation is longer than the endpoint's context: {count:,} task. Serve "
            "the model with a longer context; the same command asks it again.",
            "Without a score because the conversation is longer than the endpoint's context: {count:,} tasks. Serve "
            "the model with a longer context; the same command asks them again.",
            count=count,
        )
        yield Note(NoteLevel.WARNING, sentence, _("{count:,} longer than the context", count=count))


def _variant(metrics: Metrics) -> Iterator[Note]:
    """That the tools were not the benchmark's own."""
    if metrics.variant:
        sentence = _("Asked with other tool lists than the benchmark's: variant {name}.", name=metrics.variant)
        yield Note(NoteLevel.NOTE, sentence, _("other tool lists: {name}", name=metrics.variant))


def _corrections(metrics: Metrics) -> Iterator[Note]:
    """What corrections of the data make of each scoring's main number, and what they leave to be asked again."""
    applied = metrics.corrections
    if applied is UNSET:
        return
    parts = [
        _(
            "{scoring}: {rows}",
            scoring=scoring_text(scoring),
            rows=[
                _("{row} {rate} (without: {before})", row=row, rate=rate, before=before)
                for row, rate, before in _with_and_without(metrics, scoring, applied)
            ],
        )
        for scoring in metrics.scorings
    ]
    sentence = _("Corrections of the data: {count:,}. With them, {numbers}.", count=applied.count, numbers=parts)
    main = _with_and_without(metrics, str(metrics.headline), applied)
    without = [_("{row} {rate}", row=row, rate=before) for row, _rate, before in main]
    short = ngettext(
        "{count:,} correction; without it: {without}",
        "{count:,} corrections; without them: {without}",
        count=applied.count,
        without=without,
    )
    yield Note(NoteLevel.NOTE, sentence, short)
    if applied.outdated:
        count, named = len(applied.outdated), list(applied.outdated[:NAMED])
        text = ngettext(
            "Of {count:,} task the corrected data ask something else than was asked, so it is missing; {verb} with "
            "the same corrections asks it again: {tasks}",
            "Of {count:,} tasks the corrected data ask something else than was asked, so they are missing; {verb} with "
            "the same corrections asks them again: {tasks}",
            count=count,
            verb="`toolgauge run`",
            tasks=[*named, "…"] if count > NAMED else named,
        )
        yield Note(NoteLevel.WARNING, text, _("{count:,} to be asked again", count=count))


def _with_and_without(metrics: Metrics, scoring: str, applied: AppliedCorrections) -> list[tuple[Text | str, str, str]]:
    """The first rows of a scoring that have a value: title, value with and value without the corrections."""
    for table, rows in metrics.scorings.get(scoring, {}).items():
        without = applied.without.get(scoring, {}).get(table, {})
        compared = [
            (
                TITLES.get(name, name),
                f"{rate.value:.1%}",
                _shown(without.get(name, rate)),
            )
            for name, rate in rows.items()
            if rate.value is not None
        ]
        if compared:
            return compared[:MAIN_ROWS]
    return []


def _shown(rate: Rate) -> str:
    return "–" if rate.value is None else f"{rate.value:.1%}"


def _recordings(metrics: Metrics) -> Iterator[Note]:
    """Tasks that a scoring cannot judge, because their recordings end too early for it."""
    for scoring, count in (metrics.not_judgeable or {}).items():
        sentence = ngettext(
            "{count:,} of {all:,} tasks is not judgeable by {scoring}, because its recording ends too early; it is "
            "left out there, neither right nor wrong.",
            "{count:,} of {all:,} tasks are not judgeable by {scoring}, because their recordings end too early; they "
            "are left out there, neither right nor wrong.",
            count=count,
            all=metrics.scored,
            scoring=scoring_text(scoring),
        )
        short = _("{count:,} not judgeable ({scoring})", count=count, scoring=scoring_text(scoring))
        yield Note(NoteLevel.NOTE, sentence, short)


def _uncertified(metrics: Metrics) -> Iterator[Note]:
    """Tasks that are not fit to measure anybody."""
    if not metrics.uncertified:
        return
    sentence = ngettext(
        "{count:,} of the tasks has no certificate: its annotated answer fails, or silence or a wrong value passes. "
        "{verb} names it.",
        "{count:,} of the tasks have no certificate: their annotated answer fails, or silence or a wrong value passes. "
        "{verb} names them.",
        count=metrics.uncertified,
        verb="`toolgauge data check`",
    )
    yield Note(NoteLevel.NOTE, sentence, _("{count:,} without a certificate", count=metrics.uncertified))


_KINDS: tuple[Callable[[Metrics], Iterator[Note]], ...] = (
    _no_better_than_silence,
    _endings,
    _interface,
    _signs,
    _overflows,
    _recordings,
    _uncertified,
    _variant,
    _corrections,
    _saturated,
)
