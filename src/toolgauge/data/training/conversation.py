"""A conversation as training data."""

from __future__ import annotations

from msgspec import Struct

from toolgauge.chat import Message, Tool


class TrainingConversation(Struct, frozen=True):
    """The messages that a model saw, each once, and its last reply; the tools it was offered.

    right: all of its tasks are scored and correct.
    """

    messages: tuple[Message, ...]
    tools: tuple[Tool, ...]
    right: bool = True
