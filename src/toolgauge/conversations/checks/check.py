"""All checks of one conversation."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.conversations.checks.dialogue import RecordedDialogue, read_dialogue
from toolgauge.conversations.checks.findings import INVENTED, SCHEMA, CallFinding, FindingCode, Unit
from toolgauge.conversations.checks.invented import Grounder
from toolgauge.conversations.checks.repeats import repeated_calls
from toolgauge.conversations.checks.replies import answered_questions, ends_asking, unanswered, unhandled_errors
from toolgauge.conversations.checks.schemas import check_schema_of
from toolgauge.conversations.conversation import Conversation


class CheckedCall(Struct, frozen=True):
    """A call, and what could be told of it. by_name: does the log tell which tools were on offer? by_schema, by_source:
    could its tool's definition be applied, and could be told where its values come from? found: what was."""

    tool: str
    by_name: bool
    by_schema: bool
    by_source: bool
    found: frozenset[FindingCode] = frozenset()

    def can_be(self, code: FindingCode) -> bool:
        """Is the call among those that a finding is counted against?"""
        if code is FindingCode.UNKNOWN_TOOL:
            return self.by_name
        if code in SCHEMA:
            return self.by_schema
        return self.by_source if code in INVENTED else True


class CheckedConversation(Struct, frozen=True):
    """messages: how many; units: how many replies that ask, failed calls and requests of the user there are."""

    id: str
    messages: int
    calls: tuple[CheckedCall, ...]
    units: dict[Unit, int]
    findings: tuple[CallFinding, ...]


def checked(conversation: Conversation) -> CheckedConversation:
    """The findings of a conversation, in the order of its messages, with what they are counted against.

    Never raises: a log may hold anything.
    """
    dialogue = read_dialogue(conversation)
    schemas, sources, own = _of_calls(dialogue)
    later = [
        *repeated_calls(dialogue),
        *unhandled_errors(dialogue),
        *answered_questions(dialogue),
        *unanswered(dialogue),
    ]
    findings = sorted([*own, *later], key=lambda one: (one.at.message, -1 if one.at.call is None else one.at.call))
    codes: dict[tuple[int, int | None], list[FindingCode]] = {}
    for one in findings:
        codes.setdefault((one.at.message, one.at.call), []).append(one.code)
    calls = [
        CheckedCall(
            call.name,
            bool(conversation.tools),
            by_schema,
            by_source,
            frozenset(codes.get((call.message, call.index), ())),
        )
        for call, by_schema, by_source in zip(dialogue.calls, schemas, sources, strict=True)
    ]
    units = {
        Unit.REPLY: sum(ends_asking(dialogue, number) for number in range(len(dialogue.requests))),
        Unit.ERROR: sum(call.failed for call in dialogue.calls),
        Unit.REQUEST: len(dialogue.requests),
    }
    return CheckedConversation(conversation.id, len(conversation.messages), tuple(calls), units, tuple(findings))


def _of_calls(dialogue: RecordedDialogue) -> tuple[list[bool], list[bool], list[CallFinding]]:
    """Of every call whether its schema and its sources could be decided; and what was found."""
    offered = {tool.name: tool for tool in dialogue.conversation.tools}
    grounder = Grounder(dialogue)
    by_schema, by_source, found = [], [], []
    for position in range(len(dialogue.messages)):
        for call in dialogue.by_message.get(position, ()):
            outcome = check_schema_of(call, offered, dialogue.conversation.id)
            invented = grounder.check(call)
            by_schema.append(outcome.decided)
            by_source.append(invented is not None)
            misfits = {one.at.path for one in outcome.findings}
            found += [*outcome.findings, *(one for one in invented or () if one.at.path not in misfits)]
        grounder.hear(position)
    return by_schema, by_source, found
