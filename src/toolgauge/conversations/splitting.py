"""Which messages of the user begin a task: rules, each with the evidence that people read and may correct."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from toolgauge.conversations.conversation import Conversation
from toolgauge.reasons import ReasonCode


class Why(ReasonCode):
    """Why a message of the user begins a task, or does not."""

    FIRST = "first", "the first message"
    AFTER_ANSWER = "after_answer", "a new request after a final answer"
    BY_HAND = "by_hand", "as it is said in the file of splits"


class Split(Struct, frozen=True):
    """A message of the user: a line of splits.jsonl. message: its place in the conversation's messages, from 0;
    text: how it begins, for whoever reads the file."""

    conversation: str
    message: int
    begins: bool
    why: Why
    text: str = ""


Splits = Mapping[str, Mapping[int, bool]]
"""What people decided: conversation -> message -> does it begin a task?"""


def split(conversation: Conversation, language: str, decided: Mapping[int, bool] | None = None) -> tuple[Split, ...]:
    """The messages of the user, in order, each with its verdict. decided: by hand, of some of them."""
    raise NotImplementedError


def read_splits(path: Path) -> Splits:
    """The file splits.jsonl as people gave it back. Raises DataError for a line that is none."""
    raise NotImplementedError


def split_lines(splits: Iterable[Split]) -> Iterator[bytes]:
    """The lines of splits.jsonl, with their ends."""
    raise NotImplementedError
