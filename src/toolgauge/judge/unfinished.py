"""Wrong replies that are unfinished: cut off, filtered, or nothing but reasoning. Whatever else is wrong with one, it
is not what the model had to say, and that is its class. Only in the scoring `exact`; labels stay as they are.

A task in which the agent under test failed is wrong in every scoring, whatever it did before.

Source: docs/rules.md#unfinished-replies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec import UNSET
from msgspec.structs import replace

from toolgauge.call_problems import CallProblem
from toolgauge.chat import Reply
from toolgauge.judge.malformed import MalformedCode
from toolgauge.judge.mistakes import AGENT_ERROR
from toolgauge.judge.replies import CALLS, MALFORMED, ReadReply
from toolgauge.judge.verdict import ERROR, Verdict
from toolgauge.judge.written_calls import has_written_call
from toolgauge.models.endings import Unfinished
from toolgauge.reasons import N_, Parameter, ReasonCode, ReasonTexts, reason, texts_of

OTHERWISE = "otherwise"
"""The parameter that names the class which the reply would have as it stands."""


class UnfinishedCode(ReasonCode):
    """How it is unfinished."""

    TRUNCATED = "truncated", N_("the token limit cut the reply off")
    FILTERED = "filtered", N_("the reply was filtered, or refused by the API")
    ONLY_REASONING = "only_reasoning", N_("the reply holds nothing but reasoning")


_CODES = dict(zip(Unfinished, UnfinishedCode, strict=True))


class CutPlace(ReasonCode):
    """Where the token limit cut a reply off; written as the parameter `kind`."""

    IN_CALL = "cut_in_call", N_("in a call")
    IN_WRITTEN_CALL = "cut_in_written_call", N_("in a call written as text")
    IN_TEXT = "cut_in_text", N_("in a text")
    BEFORE_WORDS = "cut_before_words", N_("before it said anything")


class AgentCode(ReasonCode):
    """How an agent under test failed."""

    FAILED = AGENT_ERROR, N_("the agent failed: {words}")


def unusable_texts(language: str) -> ReasonTexts:
    """The texts of these codes, and of those of calls that cannot be read."""
    return texts_of((*UnfinishedCode, *CutPlace, *AgentCode, *MalformedCode, *CallProblem), language)


def with_agent_error(scorings: Mapping[str, Verdict], replies: Iterable[Reply]) -> dict[str, Verdict]:
    """The verdicts on a task: wrong in every scoring if the agent under test failed in one of these replies."""
    words = next((reply.error for reply in replies if reply.error is not None), None)
    if words is None:
        return dict(scorings)
    why = reason(AgentCode.FAILED, words=words)
    return {
        name: replace(
            verdict,
            label=ERROR,
            action_label=ERROR,
            optimal=False,
            progress=(0, verdict.progress[1]) if verdict.correct else verdict.progress,
            mistake=AGENT_ERROR,
            detail=why.text,
            wrong_arguments=UNSET,
            code=why.code.value,
            parameters=why.written() | ({OTHERWISE: verdict.mistake} if verdict.mistake else {}),
        )
        for name, verdict in scorings.items()
    }


def as_unfinished(verdict: Verdict, reply: ReadReply, offered: Collection[str]) -> Verdict:
    """The verdict on a run that this reply decided: if it is wrong and the reply unfinished, with that as its class.

    offered: names of the tools on offer.
    """
    kind = reply.unfinished
    if kind is None or verdict.correct:
        return verdict
    code = _CODES[kind]
    parameters: dict[str, Parameter] = {OTHERWISE: verdict.mistake} if verdict.mistake else {}
    if kind is Unfinished.TRUNCATED:
        parameters["kind"] = _cut_place(reply, offered).value
    return replace(
        verdict,
        mistake=kind.value,
        detail=code.text,
        wrong_arguments=UNSET,
        code=code.value,
        parameters=parameters or UNSET,
    )


def _cut_place(reply: ReadReply, offered: Collection[str]) -> CutPlace:
    if reply.kind in (CALLS, MALFORMED):
        return CutPlace.IN_CALL
    if not reply.text.strip():
        return CutPlace.BEFORE_WORDS
    return CutPlace.IN_WRITTEN_CALL if has_written_call(reply.text, offered) else CutPlace.IN_TEXT
