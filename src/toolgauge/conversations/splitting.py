"""Which messages of the user begin a task: rules, each with the evidence that people read and may correct.

A message goes on with a task where the assistant has asked for something that it needs, or has not answered yet. What
comes after a final answer begins a task, also where it leans on that answer ("and tomorrow?"): tasks may refer to what
was said. Nothing is drawn and no model is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from toolgauge.annotation.leaning import cues_in, names_tool
from toolgauge.chat import Message, Tool
from toolgauge.conversations.asking import (
    AssistantText,
    Wants,
    is_asked_for,
    is_for_consent,
    offers_more,
    only_announces,
    read_text,
)
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.replying import asks_for_itself, confirms, corrects, drops, is_courtesy
from toolgauge.reasons import N_, ReasonCode

SHOWN = 100
"""Characters of a message, or of what stands before it, that a split quotes."""


class Why(ReasonCode):
    """Why a message of the user begins a task, or does not."""

    FIRST = "first", N_("the user's first message")
    NEW_REQUEST = "new_request", N_("a new request after a final answer")
    FOLLOW_UP = "follow_up", N_("a new request that leans on the last answer")
    CHANGES = "changes", N_("changes what was answered already")
    TAKES_OFFER = "takes_offer", N_("takes up what the assistant offered beside its answer")
    TURNS_AWAY = "turns_away", N_("asks for something else and leaves the question open")
    COURTESY = "courtesy", N_("only thanks or a greeting: small talk of its own")
    SMALL_TALK = "small_talk", N_("answers a question of small talk: nothing was to be done")
    ANSWERS = "answers", N_("answers the assistant's question")
    CONFIRMS = "confirms", N_("confirms what the assistant is about to do")
    CORRECTS = "corrects", N_("corrects what was said before it is done")
    GOES_ON = "goes_on", N_("goes on before the assistant has answered")
    BY_HAND = "by_hand", N_("as the file of splits says")

    @property
    def begins(self) -> bool:
        """Does a message begin a task for this reason? By hand it may be either."""
        return self not in (Why.ANSWERS, Why.CONFIRMS, Why.CORRECTS, Why.GOES_ON, Why.BY_HAND)


class Split(Struct, frozen=True, omit_defaults=True):
    """The verdict on a message of the user: a line of splits.jsonl.

    message: its place among the conversation's messages, from 0; text: how it begins; after: the sentence of the
    assistant that speaks for the verdict.
    """

    conversation: str
    message: int
    begins: bool
    why: Why
    text: str = ""
    after: str = ""


class _Turn(Struct, frozen=True):
    """A message of the user with what the assistant did between the last one and this, and after it.

    at: its place in the conversation; said: the assistant's last text before it; called: whether it made calls since
    the last message, and answered: whether it said something after them.
    """

    at: int
    text: str
    said: str = ""
    called: bool = False
    answered: bool = False


def split(conversation: Conversation, language: str, decided: Mapping[int, bool] | None = None) -> tuple[Split, ...]:
    """The messages of the user, in order, each with its verdict. decided: by hand, of some of them."""
    found: list[Split] = []
    turns = tuple(_turns(conversation.messages))
    tools = (*conversation.tools, *undefined_tools(conversation))
    task: list[_Turn] = []
    for number, turn in enumerate(turns[:-1]):
        why, read = _verdict(turn, turns[number + 1], task, tools, language)
        begins = why.begins
        if task and decided and decided.get(turn.at, begins) != begins:
            why, begins = Why.BY_HAND, not begins
        if begins:
            task = []
        task.append(turn)
        found.append(
            Split(conversation.id, turn.at, begins, why, _cut(turn.text), _cut(read.quote or turn.said[-SHOWN:]))
        )
    return tuple(found)


def undefined_tools(conversation: Conversation) -> list[Tool]:
    """Tools that are called and nobody defines: their names, and nothing made up."""
    known = {tool.name for tool in conversation.tools}
    called = dict.fromkeys(call.name for message in conversation.messages for call in message.tool_calls)
    return [Tool(name, "", {"type": "object"}) for name in called if name and name not in known]


def _turns(messages: Sequence[Message]) -> Iterator[_Turn]:
    said, called, answered = "", False, False
    for at, message in enumerate(messages):
        if message.role == "user":
            yield _Turn(at, message.content or "", said, called, answered)
            said, called, answered = "", False, False
        elif message.role == "assistant":
            called = called or bool(message.tool_calls)
            answered = bool((message.content or "").strip()) and not message.tool_calls
            said = message.content or said
    yield _Turn(len(messages), "", said, called, answered)  # what stands behind the last one


def _verdict(
    turn: _Turn, after: _Turn, task: Sequence[_Turn], tools: Sequence[Tool], language: str
) -> tuple[Why, AssistantText]:
    """after: the user's next message. task: the messages of the task so far; none: nothing was asked for yet."""
    nothing = AssistantText(Wants.TELLS)
    if not task:
        return Why.FIRST, nothing
    if not turn.answered:
        return (Why.NEW_REQUEST if turn.called else Why.GOES_ON), nothing
    if not turn.called and only_announces(turn.said):
        return Why.GOES_ON, nothing
    read = read_text(turn.said)
    requests = [one.text for one in task]
    is_due = is_asked_for(read.act, requests) and not (turn.called and offers_more(read.quote))
    if read.wants is Wants.ASKS or (read.wants is Wants.OFFERS and ((read.alone and not turn.called) or is_due)):
        return _after_question(turn, read, after, task, tools, language), read
    if read.wants is Wants.OFFERS and (confirms(turn.text) or is_asked_for(read.act, [turn.text])):
        return Why.TAKES_OFFER, read
    if is_courtesy(turn.text):
        return Why.COURTESY, read
    if corrects(turn.text):
        return Why.CHANGES, read
    return (Why.FOLLOW_UP if cues_in(turn.text, language) else Why.NEW_REQUEST), read


def _after_question(
    turn: _Turn,
    read: AssistantText,
    after: _Turn,
    task: Sequence[_Turn],
    tools: Sequence[Tool],
    language: str,
) -> Why:
    known = "\n".join([turn.said, *(one.text for one in task)])
    if drops(turn.text) or (asks_for_itself(turn.text, known) and names_tool(turn.text, tools, language)):
        return Why.TURNS_AWAY
    if not read.demands and _is_small_talk(turn, after, task, tools, language):
        return Why.COURTESY if is_courtesy(turn.text) else Why.SMALL_TALK
    if corrects(turn.text):
        return Why.CORRECTS
    return Why.CONFIRMS if confirms(turn.text) and (read.act or is_for_consent(read.quote)) else Why.ANSWERS


def _is_small_talk(turn: _Turn, after: _Turn, task: Sequence[_Turn], tools: Sequence[Tool], language: str) -> bool:
    """Was nothing to be done? No call was made before the question or after its answer, no tool is named, and the
    assistant goes on without another question."""
    if turn.called or any(one.called for one in task[1:]) or after.called or not after.said:
        return False
    if read_text(after.said).wants is Wants.ASKS and not is_courtesy(turn.text):
        return False
    return not any(names_tool(one.text, tools, language) for one in task)


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
