"""What a GGUF file says of its model: read from the head of the file, without loading anything.

Format: magic "GGUF", version, counts of tensors and of keys; then every key with its type and value (the specification
of ggml). Such a file comes from strangers: what leads out of it, and more keys and items than models have, is refused.
"""

from __future__ import annotations

import mmap
import re
import struct
from pathlib import Path

from msgspec import Struct

from toolgauge.errors import UsageError, os_cause
from toolgauge.models.dialects.table import dialect_for
from toolgauge.models.endings import shows_tools

ENDING = ".gguf"
_LATER_PART = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf$", re.IGNORECASE)
MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_KEYS = 10_000
MOST_ITEMS = 2_000_000
"""Of one array: vocabularies have up to some 260,000 tokens."""
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
        by_name = dialect_for(str(self.file)) or dialect_for(self.name.replace(" ", "-"))
        return by_name or ("gpt-oss" if self.architecture == "gpt-oss" else None)


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
        files = sorted(file for file in place.iterdir() if file.name.casefold().endswith(ENDING))
    except OSError as error:  # also where a name is too long
        raise UsageError(f"cannot read {model}: {os_cause(error)}") from error
    models = [file for file in files if not _LATER_PART.search(file.name) and not file.name.startswith("mmproj")]
    if len(models) > 1:
        raise UsageError(f"{model}: several models; choose one of {', '.join(file.name for file in models)}")
    return models[0] if models else None


def read_gguf(file: Path) -> GgufFacts:
    """What the head of a GGUF file says. Raises UsageError where it cannot be read."""
    try:
        with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
            values = _Head(content).values()
    except OSError as error:
        raise UsageError(f"cannot read {file}: {os_cause(error)}") from error
    except (ValueError, struct.error):  # an empty file, too
        raise UsageError(f"{file}: not a GGUF model that llama.cpp can serve") from None
    texts = {key: value for key, value in values.items() if isinstance(value, str)}
    architecture = texts.get("general.architecture", "")
    length = values.get(f"{architecture}.context_length")
    length = length if isinstance(length, int) and length > 0 else None
    return GgufFacts(texts.get("general.name", ""), architecture, length, texts.get("tokenizer.chat_template"), file)


class _Head:
    """The head of a file, read on and on. Raises ValueError and struct.error for what is none."""

    def __init__(self, content: mmap.mmap) -> None:
        self._content, self._at = content, 0

    def values(self) -> dict[str, object]:
        """The keys and values, without those of arrays: of vocabularies nothing is wanted."""
        if self._bytes(4) != MAGIC or self._number("I") not in VERSIONS:
            raise ValueError
        self._number("Q")  # tensors
        return {self._text(): self._value() for _ in range(self._count(MOST_KEYS))}

    def _bytes(self, count: int) -> bytes:
        self._skip(count)
        return self._content[self._at - count : self._at]

    def _skip(self, count: int) -> None:
        self._at += count
        if self._at > len(self._content):
            raise ValueError

    def _number(self, form: str) -> int | float | bool:
        value: int | float | bool = struct.unpack(f"<{form}", self._bytes(struct.calcsize(f"<{form}")))[0]
        return value

    def _count(self, most: int) -> int:
        value = int(self._number("Q"))
        if value > most:
            raise ValueError
        return value

    def _text(self) -> str:
        return self._bytes(int(self._number("Q"))).decode("utf-8", "replace")

    def _value(self) -> object:
        kind = int(self._number("I"))
        if kind == _TEXT:
            return self._text()
        if kind in _NUMBERS:
            return self._number(_NUMBERS[kind])
        inner = int(self._number("I")) if kind == _ARRAY else None
        items = self._count(MOST_ITEMS) if kind == _ARRAY else 0
        if inner in _NUMBERS:
            self._skip(items * struct.calcsize(f"<{_NUMBERS[inner]}"))
        elif inner == _TEXT:
            for _item in range(items):
                self._skip(int(self._number("Q")))
        else:
            raise ValueError
        return None
