"""A conversation as a log has it: what was said, and which tools were on offer."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.chat import Message, Tool


class Conversation(Struct, frozen=True, omit_defaults=True):
    """One conversation of a log, in the order in which it was said.

    id: the log's own name for it, else made of the file's name and the line. messages: system, user, assistant and
    tool messages; results carry the id of their call. tools: those on offer, as far as the log or the user tells.
    line: where it begins in its file (from 1; 0: not a file of lines). time: when it began, ISO 8601, where the log
    tells.
    """

    id: str
    messages: tuple[Message, ...]
    tools: tuple[Tool, ...] = ()
    line: int = 0
    time: str | None = None
