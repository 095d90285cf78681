"""run.json as Structs: what was written before is read, what others declare keeps its place, nothing is lost."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from tests.rows import rows
from toolgauge.artefacts import read, written
from toolgauge.benchmarks.manifest import Manifest

RUN: dict[str, Any] = {
    "toolgauge": "0.1.0",
    "trajectory_version": 1,
    "benchmark": "mini",
    "language": "en",
    "dataset": {"name": "mini", "sha256": "f9"},
    "data_file": None,
    "model": {"name": "openai/m", "provider": "openai", "model": "m", "base_url": "https://x/v1", "api": "responses"},
    "sampling": {"temperature": 0.5},
    "history": "gold",
    "epochs": 2,
    "selection": {"ids": ["a"], "limit": None, "categories": []},
    "tasks": 3,
    "conversations": 3,
    "user_model": {"name": "builtin/oracle", "provider": "builtin", "of its own": [1]},
    "batch": ["assistant"],
}


def test_a_manifest_is_written_as_it_was_read() -> None:
    assert json.dumps(written(read(RUN, Manifest))) == json.dumps(RUN)


def test_what_others_declare_is_kept_in_its_place() -> None:
    own = {"temper": "mild", "levels": [1, 2]}
    names = list(RUN)
    at = names.index("epochs")
    content = {name: (RUN | own)[name] for name in [*names[:at], *own, *names[at:]]}
    manifest = read(content, Manifest)
    assert manifest.more == {"history": RUN["history"]} | own
    assert manifest.measured.more == {"api": "responses"}
    assert json.dumps(written(manifest)) == json.dumps(content)


@rows("name", ["epochs", "dataset", "sampling", "user_model", "language"])
def test_a_field_of_another_kind_is_named(name: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=name):
        read(RUN | {name: "?"}, Manifest)
