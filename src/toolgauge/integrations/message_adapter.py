"""What a trainer hands over as said, in any of the usual forms, as replies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from toolgauge.chat import Reply
from toolgauge.errors import UsageError
from toolgauge.models.replies import message_reply, tame


class MessageAdapter:
    """Reads what was said; dialect: how text writes calls, None where text is words."""

    def __init__(self, dialect: str | None) -> None:
        """Raises UsageError for an unknown dialect."""
        self.dialect = None
        if dialect is not None:
            from toolgauge.models.dialects.table import find_dialect

            self.dialect = find_dialect(dialect)

    def __call__(self, reply: Reply) -> Reply:
        """The reply with the calls that its text makes."""
        if self.dialect is None:
            return reply

        from toolgauge.models.text_calls import parse_reply

        return parse_reply(reply, self.dialect)


def reply_of(said: object, read: MessageAdapter) -> Reply:
    """One reply: a Reply, raw text, an assistant message (a mapping), or a list that holds exactly one of them."""
    if isinstance(said, Mapping):
        return _identified(read(message_reply(said if isinstance(said, dict) else dict(said))))
    if isinstance(said, str):
        return read(Reply(content=str(tame(said))))
    if isinstance(said, Reply):
        return read(said)
    replies = replies_of(said, read)
    if len(replies) != 1:
        raise UsageError(
            f"a completion must be one assistant message, not {len(replies)}; use trajectory() for several"
        )
    return replies[0]


def replies_of(said: object, read: MessageAdapter) -> tuple[Reply, ...]:
    """The replies among what was said: messages of other roles (tool, user) are passed over."""
    if isinstance(said, (str, Mapping, Reply)):
        said = (said,)
    if not isinstance(said, Sequence):
        raise UsageError(f"replies must be a list of messages or strings, not {type(said).__name__}")
    return tuple(
        reply_of(one, read)
        for one in said
        if not isinstance(one, Mapping) or one.get("role", "assistant") == "assistant"
    )


def _identified(reply: Reply) -> Reply:
    """With an id for every call: trainers' chat templates write none, and that is no mistake of the model's."""
    if all(call.id is not None for call in reply.tool_calls):
        return reply
    calls = (
        replace(call, id=f"call_{position}") if call.id is None else call
        for position, call in enumerate(reply.tool_calls)
    )
    return replace(reply, tool_calls=tuple(calls))


def message_or_text(said: object) -> object:
    """An action written as text: a JSON object of role "assistant" is the message it says, any other text is words."""
    if isinstance(said, str) and said.lstrip().startswith("{"):
        try:
            value = json.loads(said)
        except (ValueError, RecursionError):
            return said
        if isinstance(value, dict) and value.get("role") == "assistant":
            return value
    return said
