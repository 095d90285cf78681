"""What a GGUF file says of its model: read from the head of the file, without loading anything.

Format: magic "GGUF", version, counts of tensors and of keys; then every key with its type and value (the specification
of ggml). Such a file comes from strangers: every length is held against a bound before it is read.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from toolgauge.errors import UsageError, os_cause
from toolgauge.models.dialects.registry import dialect_for
from toolgauge.models.endings import shows_tools

ENDING = ".gguf"
_LATER_PART = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)
MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_KEYS = 10_000
MOST_ITEMS = 2_000_000
"""Of one array: vocabularies have up to some 260,000 tokens."""
MOST_BYTES = 4_000_000
"""Of one text: chat templates have some 10,000."""
MOST_READ = 256_000_000
"""Bytes of the head altogether."""
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _ARRAY = 8, 9


class GgufFacts(Struct, frozen=True):
    """What a file says.

    name: the model's, as its makers call it; context_length: in tokens, that it was trained for; chat_template: its
    source, None where there is none; file: where it lies. What the file does not say is "" or None."""

    name: str = ""
    architecture: str = ""
    context_length: int | None = None
    chat_template: str | None = None

    file: Path = Path()

    @property
    def writes_tools(self) -> bool:
        """Does its chat template show the model the tools?"""
        return shows_tools(self.chat_template or "")

    @property
    def dialect(self) -> str | None:
        """The dialect that the name of the file implies, or the one that its makers wrote into it.

        The architecture does not tell, but for one: FunctionGemma's is that of Gemma 3, a base model's that of its chat
        model.
        """
        told = dialect_for(str(self.file)) or dialect_for(self.name.replace(" ", "-"))
        return told or ("gpt-oss" if self.architecture == "gpt-oss" else None)


def find_gguf(model: str) -> Path | None:
    """The GGUF file that a name means: the file itself, or the one in a folder; None for other models.

    Of a model in several parts it is the first; projectors of images are no models. Raises UsageError for a folder with
    several models, for one that cannot be read, and for a file that is not there.
    """
    place = Path(model)
    try:
        if model.casefold().endswith(ENDING):
            if not place.is_file():
                raise UsageError(f"{model}: file not found")
            return place
        if not place.is_dir():
            return None
        files = sorted(one for one in place.iterdir() if one.name.casefold().endswith(ENDING))
    except OSError as error:  # also where a name is too long
        raise UsageError(f"cannot read {model}: {os_cause(error)}") from error
    models = [one for one in files if not _LATER_PART.search(one.name) and not one.name.startswith("mmproj")]
    if len(models) > 1:
        raise UsageError(f"{model}: several models; choose one of {', '.join(one.name for one in models)}")
    return models[0] if models else None


def read_gguf(file: Path) -> GgufFacts:
    """What the head of a GGUF file says. Raises UsageError where it cannot be read."""
    try:
        with file.open("rb") as stream:
            known = _keys(_Head(stream, file))
    except OSError as error:
        raise UsageError(f"cannot read {file}: {os_cause(error)}") from error
    architecture, length = _text(known, "general.architecture"), None
    if architecture:
        found = known.get(f"{architecture}.context_length")
        length = found if isinstance(found, int) and found > 0 else None
    template = known.get("tokenizer.chat_template")
    template = template if isinstance(template, str) else None
    return GgufFacts(_text(known, "general.name"), architecture, length, template, file)


def _text(known: dict[str, object], key: str) -> str:
    value = known.get(key)
    return value if isinstance(value, str) else ""


class _Head:
    """The head of a file, read on and on, never more than the bounds say."""

    def __init__(self, stream: BinaryIO, file: Path) -> None:
        self._stream, self._file, self._left = stream, file, MOST_READ

    def broken(self) -> UsageError:
        return UsageError(f"{self._file}: not a GGUF model that llama.cpp can serve")

    def bytes(self, count: int) -> bytes:
        self._left -= count
        found = self._stream.read(count) if self._left >= 0 else b""
        if len(found) != count:
            raise self.broken()
        return found

    def number(self, form: str) -> int | float | bool:
        value: int | float | bool = struct.unpack(f"<{form}", self.bytes(struct.calcsize(f"<{form}")))[0]
        return value

    def count(self, most: int) -> int:
        value = int(self.number("Q"))
        if value > most:
            raise self.broken()
        return value

    def text(self) -> str:
        return self.bytes(self.count(MOST_BYTES)).decode("utf-8", "replace")


def _keys(head: _Head) -> dict[str, object]:
    """The keys and values, without those of arrays: of vocabularies nothing is wanted."""
    if head.bytes(4) != MAGIC or head.number("I") not in VERSIONS:
        raise head.broken()
    head.number("Q")  # tensors
    known: dict[str, object] = {}
    for _number in range(head.count(MOST_KEYS)):
        key, kind = head.text(), int(head.number("I"))
        known[key] = _value(head, kind)
    return known


def _value(head: _Head, kind: int) -> object:
    if kind == _TEXT:
        return head.text()
    if kind in _NUMBERS:
        return head.number(_NUMBERS[kind])
    if kind != _ARRAY:
        raise head.broken()
    inner, items = int(head.number("I")), head.count(MOST_ITEMS)
    if inner in _NUMBERS:
        head.bytes(items * struct.calcsize(f"<{_NUMBERS[inner]}"))
    elif inner == _TEXT:
        for _item in range(items):
            head.bytes(head.count(MOST_BYTES))
    else:
        raise head.broken()
    return None
