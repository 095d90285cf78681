"""Why a step failed: the class of its mistake and the reason. Mistakes in arguments come with their fault.

Replies that are no answer of the model's come first: cut off, filtered, nothing but reasoning, a call that could not be
read, an agent under test that failed. Source: docs/rules.md#mistakes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from toolgauge.call_problems import CallProblem
from toolgauge.chat import Reply
from toolgauge.data.session import ASK, FINAL
from toolgauge.judge.graph import CallGraph, bits
from toolgauge.judge.mistakes import AGENT_ERROR, AGENT_WITHOUT_TOOLS, Mistake
from toolgauge.judge.reasons import DialogueCode
from toolgauge.judge.replies import CALLS, EMPTY, MALFORMED, TEXT, ReadReply
from toolgauge.judge.texts import has_written_call, kind_of_text
from toolgauge.judge.verdict import ERROR, Verdict, failure
from toolgauge.models.endings import Unfinished, loops
from toolgauge.reasons import N_, Parameter, Reason, ReasonCode, ReasonTexts, reason, texts_of

OTHERWISE = "otherwise"
"""The parameter that names the class which the reply would have as it stands."""


class UnusableCode(ReasonCode):
    """What a reply is that cannot be used. The first three are those of `Unfinished`."""

    TRUNCATED = Unfinished.TRUNCATED.value, N_("the token limit cut the reply off")
    FILTERED = Unfinished.FILTERED.value, N_("the reply was filtered, or refused by the API")
    ONLY_REASONING = Unfinished.ONLY_REASONING.value, N_("the reply holds nothing but reasoning")
    INCOMPLETE = "unreadable_call", N_("a call without id, name or arguments")
    UNREAD = "unread_call", N_("a call that cannot be read")
    AGENT_FAILED = AGENT_ERROR, N_("the agent failed: {words}")
    AGENT_WITHOUT_TOOLS = AGENT_WITHOUT_TOOLS, N_("the agent completed no tools/list and made no call")


_UNFINISHED = {
    Unfinished.TRUNCATED: UnusableCode.TRUNCATED,
    Unfinished.FILTERED: UnusableCode.FILTERED,
    Unfinished.ONLY_REASONING: UnusableCode.ONLY_REASONING,
}


class CutPlace(ReasonCode):
    """Where the token limit cut a reply off, or that it went round in circles; written as the parameter `kind`."""

    IN_CALL = "cut_in_call", N_("in a call")
    IN_WRITTEN_CALL = "cut_in_written_call", N_("in a call written as text")
    IN_LOOP = "cut_in_loop", N_("it repeats itself: more tokens will not help")
    IN_TEXT = "cut_in_text", N_("in a text")
    BEFORE_WORDS = "cut_before_words", N_("before it said anything")


def unusable_texts(language: str) -> ReasonTexts:
    """The texts of these codes, and of those of calls that cannot be read."""
    return texts_of((*UnusableCode, *CutPlace, *CallProblem), language)


class Situation(NamedTuple):
    """Where a run stood when a step failed.

    offered: names of the tools on offer; done: mask of the annotated calls made; ready: of those that may come next;
    unservable: no tool on offer can do what the user wants.
    """

    graph: CallGraph
    offered: Collection[str]
    done: int
    ready: int
    step: int
    unservable: bool = False


def cause_of(situation: Situation, turn: ReadReply) -> tuple[Mistake, Reason]:
    """The class of a failing step by its cause, and why: the conditions of docs/rules.md#mistakes, in their order."""
    graph, ready = situation.graph, situation.ready
    left = _left_by_server(turn.reply)
    if turn.kind == EMPTY:
        return Mistake.EMPTY_OUTPUT, reason(DialogueCode.NO_OUTPUT, **left)
    if turn.kind == MALFORMED:
        return Mistake.MALFORMED_CALL, _why_malformed(turn.unread)
    if turn.kind == TEXT:
        mistake = Mistake.REFUSAL if situation.step == 0 else Mistake.EARLY_TERMINATION
        kind = left or {"kind": kind_of_text(turn.text, situation.offered).value}
        due = {graph.names[index] for index in bits(ready & ~graph.optional)}
        return mistake, _about(DialogueCode.TEXT_FOR_CALLS, due, **kind)
    counts = Counter(call.name for call in turn.calls)
    if unknown := counts.keys() - set(situation.offered):
        return Mistake.UNKNOWN_TOOL, _about(DialogueCode.NOT_OFFERED, unknown, **left)
    if graph.names == (FINAL,):
        code = DialogueCode.CALLS_FOR_UNSERVABLE if situation.unservable else DialogueCode.CALLS_FOR_REPLY
        return Mistake.NEEDLESS_TOOL, _about(code, counts)
    if graph.by_name.get(ASK, 0) & ready:
        return Mistake.MISSED_CLARIFICATION, _about(DialogueCode.CALLS_FOR_QUESTION, counts)
    undone = Counter(name for index, name in enumerate(graph.names) if not situation.done >> index & 1)
    if counts <= undone:
        early = [name for name in counts if counts[name] > (graph.by_name[name] & ready).bit_count()]
        why = _about(DialogueCode.TOO_EARLY, early) if early else Reason(DialogueCode.TOO_EARLY_IN_STEP)
        return Mistake.ORDER_VIOLATION, why
    if strangers := counts.keys() - graph.by_name.keys():
        return Mistake.WRONG_TOOL, _about(DialogueCode.NOT_IN_ANSWER, strangers)
    return Mistake.REDUNDANT_CALL, _about(DialogueCode.TOO_OFTEN, (counts - undone).keys())


def _about(code: DialogueCode, names: Iterable[str], **parameters: Parameter) -> Reason:
    return reason(code, names=tuple(sorted(names)), **parameters)


def _left_by_server(reply: Reply) -> dict[str, Parameter]:
    """What a server did with a call that it was to parse, as the parameter `kind`: no fault of the model's."""
    return {"kind": reply.problem.value} if reply.problem and reply.problem.of_the_server else {}


def _why_malformed(problem: CallProblem | None) -> Reason:
    """problem: why a call was not read; None for one that came without its parts."""
    if problem is None:
        return Reason(UnusableCode.INCOMPLETE)
    return reason(UnusableCode.UNREAD, kind=problem.value)


def as_malformed(verdict: Verdict, problem: CallProblem | None) -> Verdict:
    """The verdict on a single answer: wrong where a call in it could not be read, whatever else it says."""
    if problem is None:
        return verdict
    progress = (0, verdict.progress[1]) if verdict.correct else verdict.progress
    return failure(ERROR, progress, Mistake.MALFORMED_CALL.value, _why_malformed(problem))


def as_unfinished(verdict: Verdict, turn: ReadReply, offered: Collection[str]) -> Verdict:
    """The verdict on a run that this reply decided: if it is wrong and the reply unfinished, with that as its class.

    offered: names of the tools on offer.
    """
    kind = turn.unfinished
    if kind is None or verdict.correct:
        return verdict
    about: dict[str, Parameter] = {}
    if kind is Unfinished.TRUNCATED:
        about["kind"] = _cut_place(turn, offered).value
    elif kind is Unfinished.ONLY_REASONING:
        about |= _left_by_server(turn.reply)
    return _with_cause(verdict, Reason(_UNFINISHED[kind], about))


def _cut_place(turn: ReadReply, offered: Collection[str]) -> CutPlace:
    if turn.kind in (CALLS, MALFORMED):
        return CutPlace.IN_CALL
    if loops(turn.reply):
        return CutPlace.IN_LOOP
    if not turn.text.strip():
        return CutPlace.BEFORE_WORDS
    return CutPlace.IN_WRITTEN_CALL if has_written_call(turn.text, offered) else CutPlace.IN_TEXT


def with_agent_error(scorings: Mapping[str, Verdict], replies: Iterable[Reply]) -> dict[str, Verdict]:
    """The verdicts on a task: wrong in every scoring if the agent under test failed in one of these replies. What is
    wrong because the agent has no tools is no mistake in calls or in the form of an answer."""
    replies = list(replies)
    words = next((reply.error for reply in replies if reply.error is not None), None)
    if words is None and replies and replies[-1].no_tools:
        without = reason(UnusableCode.AGENT_WITHOUT_TOOLS)
        return {
            name: verdict if verdict.correct else _with_cause(verdict, without) for name, verdict in scorings.items()
        }
    if words is None:
        return dict(scorings)
    why = reason(UnusableCode.AGENT_FAILED, words=words)
    return {
        name: replace(
            _with_cause(verdict, why),
            label=ERROR,
            action_label=ERROR,
            optimal=False,
            progress=(0, verdict.progress[1]) if verdict.correct else verdict.progress,
        )
        for name, verdict in scorings.items()
    }


def _with_cause(verdict: Verdict, why: Reason) -> Verdict:
    """The verdict with this in place of its mistake, which becomes a parameter."""
    otherwise: dict[str, Parameter] = {OTHERWISE: verdict.mistake} if verdict.mistake else {}
    return replace(
        verdict,
        mistake=why.code.value,
        detail=why.text,
        wrong_arguments=UNSET,
        code=why.code.value,
        parameters=(otherwise | why.written()) or UNSET,
    )
