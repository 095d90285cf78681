"""Files that are no text, not of the right kind, or too much: whatever a file should hold."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

from tests.hostile.corpus.item import EVIL, Item, fifo, folder, link, nested, sparse, written


def any_file() -> Iterator[Item]:
    """Items of every family that is one file."""
    contents = {
        "empty": b"",
        "blank": b"\n\n \n",
        "no-json": b"nonsense",
        "evil": EVIL.encode(),
        "not-utf8": b'{"id": "\xff\xfe\xfd"}',
        "utf16": '{"id": "x"}'.encode("utf-16"),
        "gzip": gzip.compress(b'{"id": "x"}\n' * 1000),
        "nul": b"\0" * 10_000,
        "deep": nested(100_000).encode(),
        "deep-objects": b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        "huge-number": b"[" + b"9" * 5000 + b"]",
        "huge-float": b'{"id": 1e999999}',
        "nan": b'{"id": NaN, "x": Infinity}',
        "surrogate": b'{"id": "\\ud800"}',
        "list": b"[1, 2, 3]",
        "number": b"7",
        "text": b'"text"',
        "object": b"{}",
        "torn": b'{"id": "x", "tools": [{"na',
        "wide": b"[" + b"1," * 300_000 + b"1]",
    }
    for name, content in contents.items():
        yield Item(f"file-{name}", written(content))
    yield Item("file-missing", lambda around: None, refused=True)
    yield Item("file-fifo", lambda around: fifo(around.target), refused=True)
    yield Item("file-device", lambda around: link(around.target, "/dev/zero"), refused=True)
    yield Item("file-folder", lambda around: folder(around.target), refused=True)
    yield Item("file-gigabyte", lambda around: sparse(around.target), refused=True)
    yield Item("file-gigabyte-value", lambda around: sparse(around.target, beginning=b'{"id": "'), refused=True)
    yield Item("file-victim", lambda around: link(around.target, around.victim))
