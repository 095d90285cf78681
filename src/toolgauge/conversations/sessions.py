"""A conversation as a session in the usual data format, unreviewed, with what is weak in it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from toolgauge.chat import Json
from toolgauge.conversations.conversation import Conversation
from toolgauge.conversations.splitting import Split
from toolgauge.conversations.weaknesses import Weakness
from toolgauge.data.session import Session
from toolgauge.errors import ToolgaugeError


class NoSession(ToolgaugeError):
    """A conversation holds no task that a session could be made of; the text says why."""


class ImportedSession(Struct, frozen=True):
    """record: the session's line in the data format, marked as imported in `origin`; splits: a verdict for each message
    of the user."""

    session: Session
    record: Json
    splits: tuple[Split, ...]
    weak: tuple[Weakness, ...]


def to_session(
    conversation: Conversation,
    language: str | None = None,
    clock: str | None = None,
    decided: Mapping[int, bool] | None = None,
) -> ImportedSession:
    """The session that a conversation is.

    language: "en" or "zh", None: what its user writes. clock: date and time as the data write them
    ("2025-03-14 18:05:00 Friday"), None: what its system message or its `time` says. decided: by hand, does a message
    of the user (its place in the conversation's messages) begin a task? Raises NoSession.
    """
    raise NotImplementedError
