"""What GGUF files say of their model, honest and hostile ones; written here byte by byte."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgauge.errors import UsageError
from toolgauge.models.engines.gguf import GgufFacts, read_gguf

TEXT, ARRAY, UINT32, FLOAT32 = 8, 9, 4, 6


def text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def key(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def head(*keys: bytes, count: int | None = None, magic: bytes = b"GGUF", version: int = 3) -> bytes:
    return magic + struct.pack("<IQQ", version, 2, len(keys) if count is None else count) + b"".join(keys)


USUAL = (
    key("general.architecture", TEXT, text("qwen2")),
    key("general.name", TEXT, text("Qwen2.5 7B Instruct")),
    key("qwen2.context_length", UINT32, struct.pack("<I", 32768)),
    key("qwen2.rope.freq_base", FLOAT32, struct.pack("<f", 1e6)),
    key("tokenizer.ggml.tokens", ARRAY, struct.pack("<IQ", TEXT, 2) + text("a") + text("b")),
    key("tokenizer.ggml.scores", ARRAY, struct.pack("<IQ", FLOAT32, 2) + b"\0" * 8),
    key("tokenizer.chat_template", TEXT, text("{% if tools %}{{ tools }}{% endif %}")),
)


def made(folder: Path, content: bytes, name: str = "m.gguf") -> Path:
    file = folder / name
    file.write_bytes(content)
    return file


def test_a_usual_file(tmp_path: Path) -> None:
    file = made(tmp_path, head(*USUAL) + b"tensors")
    facts = read_gguf(file)
    assert facts == GgufFacts("Qwen2.5 7B Instruct", "qwen2", 32768, "{% if tools %}{{ tools }}{% endif %}", file)
    assert facts.writes_tools


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\3\4" + b"\0" * 40,
        head(*USUAL, version=99),
        head(*USUAL)[:60],
        head(count=2**40),
        head(*USUAL, count=len(USUAL) + 1),
        head(struct.pack("<Q", 2**62)),
        head(key("a", TEXT, struct.pack("<Q", 2**40))),
        head(key("a", ARRAY, struct.pack("<IQ", TEXT, 2**40))),
        head(key("a", ARRAY, struct.pack("<IQ", 7, 2**62))),
        head(key("a", ARRAY, struct.pack("<IQ", ARRAY, 1))),
        head(key("a", 77, b"")),
    ],
)
def test_broken_files_are_refused_without_being_read_whole(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UsageError, match=r"m\.gguf: not a GGUF model"):
        read_gguf(made(tmp_path, content))


@given(st.binary(max_size=200))
def test_any_bytes_behind_a_right_beginning(tmp_path_factory: pytest.TempPathFactory, junk: bytes) -> None:
    file = made(tmp_path_factory.mktemp("junk"), b"GGUF" + struct.pack("<I", 3) + junk)
    try:
        read_gguf(file)
    except UsageError as error:
        assert "not a GGUF model" in str(error)  # noqa: PT017 - it may also be readable


def test_an_architecture_tells_the_dialect_where_no_name_does() -> None:
    assert GgufFacts("My tune", "gpt-oss", file=Path("my-tune.gguf")).dialect == "gpt-oss"
    assert GgufFacts("My tune", "qwen2", file=Path("my-tune.gguf")).dialect is None
