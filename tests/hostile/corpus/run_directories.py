"""Run directories, as a stranger may send them: a run of the embedded benchmark, spoilt in one way each."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.hostile.corpus.item import (
    ANYTHING,
    EVIL,
    HUGE,
    Item,
    Spoil,
    Surroundings,
    all_fields,
    at,
    change_json,
    change_lines,
    fifo,
    folder,
    link,
    linked,
    nested,
    put,
    remove,
    sparse,
    written,
)

READ = ("run.json", "trajectories.jsonl", "scores.jsonl", "metrics.json", "failures.jsonl", "replies.jsonl")
WRITTEN = (*READ, ".lock", "details.csv", "batches.jsonl", "summary.csv", "summary.xlsx")
EXPORTED = (
    "details.xlsx",
    "details.parquet",
    "openai.jsonl",
    "sharegpt.jsonl",
    "summary.md",
    "rows.tex",
    "figures",
    "hf",
)
SCRATCH = (".scores.jsonl.new", ".metrics.json.new", ".run.json.new", "details.csv.part", "details.csv.new")
"""Names that scratch files once had or might have."""
EDITED = "97.31"
"""The accuracy that an edited metrics.json tells."""
STALE = "stale-canary-40be"
"""Why every task failed, in scores that are older than what was said."""


def _spoilt(name: str, spoil: Spoil, **expected: Any) -> Item:
    def build(around: Surroundings) -> None:
        shutil.copytree(around.samples / "run", around.target)
        spoil(around)

    return Item(name, build, **expected)


def _json(name: str, file: str, change: Callable[[Any], Any], **expected: Any) -> Item:
    return _spoilt(name, lambda around: change_json(around.target / file, change), **expected)


def _lines(name: str, file: str, change: Callable[[Any], Any], **expected: Any) -> Item:
    return _spoilt(name, lambda around: change_lines(around.target / file, change), **expected)


def _raw(name: str, file: str, content: bytes, **expected: Any) -> Item:
    return _spoilt(name, lambda around: (around.target / file).write_bytes(content), **expected)


def _add(name: str, file: str, content: bytes) -> Item:
    def spoil(around: Surroundings) -> None:
        with (around.target / file).open("ab") as out:
            out.write(content)

    return _spoilt(name, spoil)


def items() -> Iterator[Item]:
    yield from _special()
    yield from _manifests()
    yield from _contents()
    yield from _derived()
    yield from _folders()


def _special() -> Iterator[Item]:
    """Links, pipes, folders and sparse files in the places of ours."""
    for name in (*WRITTEN, *EXPORTED, *SCRATCH):
        yield _spoilt(f"link-{name}", linked(name))
    yield _spoilt("link-dangling", lambda around: link(around.target / "details.csv", around.victims / "new.sh"))
    yield _spoilt("link-batches", lambda around: link(around.target / "batches", around.victims))
    yield _spoilt("link-itself", lambda around: link(around.target / "scores.jsonl", "scores.jsonl"))
    for name in READ:
        yield _spoilt(f"fifo-{name}", at(name, fifo))
        yield _spoilt(f"folder-{name}", at(name, folder))
        yield _spoilt(f"gigabyte-{name}", at(name, sparse))
    for name in (".lock", "details.csv"):
        yield _spoilt(f"fifo-{name}", at(name, fifo))
        yield _spoilt(f"folder-{name}", at(name, folder))
    yield _spoilt("device-trajectories", lambda around: link(around.target / "trajectories.jsonl", "/dev/zero"))
    yield _spoilt("device-run.json", lambda around: link(around.target / "run.json", "/dev/zero"))

    def joined(around: Surroundings) -> None:
        remove(around.target / "details.csv")
        os.link(around.victim, around.target / "details.csv")

    yield _spoilt("hard-link-details.csv", joined)


def _linked_corrections(around: Surroundings) -> None:
    change_json(around.target / "run.json", put({"sha256": "0" * 64, "count": 1}, "corrections"))
    link(around.target / "corrections.jsonl", around.victim)


VARIANTS: dict[str, Any] = {
    "list": [],
    "tool-shape": {"name": "x", "distractors": 1, "pool": [{"name": "x", "parameters": {"properties": 7}}]},
    "tool-evil": {"name": EVIL, "distractors": 2, "pool": [{"name": EVIL, "description": EVIL, "parameters": {}}]},
    "huge": {"name": "x", "distractors": HUGE},
    "offered-negative": {"name": "x", "offered": -5},
    "rename-evil": {"name": "x", "rename": {"get_train_status": EVIL, "search_trains": "prepare_to_answer"}},
    "search": {"name": "x", "search": True},
}
"""What a stranger's run may say of its tool lists."""


def _with_variant(around: Surroundings, content: Any) -> None:
    text = json.dumps(content)
    record = {"name": "x", "sha256": hashlib.sha256(text.encode()).hexdigest()}
    change_json(around.target / "run.json", put(record, "variant"))
    (around.target / "variant.json").write_text(text)


def _manifests() -> Iterator[Item]:
    """run.json: where it points, and what it holds."""
    outside = "../../victims/start.sh"
    for field in ("benchmark", "language", "data_file", "history", "style", "category"):
        yield _json(f"manifest-traversal-{field}", "run.json", put(outside, field))
    yield _json("manifest-traversal-model", "run.json", put(outside, "model", "name"))
    yield _json("manifest-evil-model", "run.json", put(EVIL, "model", "name"))
    yield _json("manifest-evil-benchmark", "run.json", put(EVIL, "benchmark"), refused=True)
    yield _json("manifest-long-model", "run.json", put("m" * 100_000, "model", "name"))
    yield _json("manifest-huge-epochs", "run.json", put(10**9, "epochs"))
    yield _json("manifest-huge-number", "run.json", put(HUGE, "epochs"))
    yield _json("manifest-evil-ids", "run.json", put([EVIL, "../x"], "selection", "ids"))
    yield _json("manifest-newer", "run.json", put(99, "trajectory_version"))
    for value in ANYTHING:
        yield _json(f"manifest-all-{type(value).__name__}", "run.json", all_fields(value))
    for name, value in (("missing", {"sha256": "0" * 64, "count": 3}), ("evil", {"sha256": EVIL, "count": HUGE})):
        yield _json(f"corrections-{name}", "run.json", put(value, "corrections"))
    yield _spoilt("corrections-link", _linked_corrections)
    for name, variant in VARIANTS.items():
        yield _spoilt(f"variant-{name}", partial(_with_variant, content=variant))
    yield _raw("manifest-list", "run.json", b"[]", refused=True)
    yield _raw("manifest-empty", "run.json", b"", refused=True)
    yield _raw("manifest-deep", "run.json", b'{"a":' + nested(100_000).encode() + b"}", refused=True)
    yield _raw("manifest-surrogate", "run.json", b'{"benchmark": "\\ud800"}', refused=True)
    for name, file in (("fifo", "pipe"), ("zero", "/dev/zero"), ("random", "/dev/urandom"), ("tty", "/dev/tty")):

        def points(around: Surroundings, file: str = file) -> None:
            fifo(around.target / "pipe")
            place = str(around.target / "pipe") if file == "pipe" else file
            change_json(around.target / "run.json", put(place, "data_file"))

        yield _spoilt(f"manifest-data-{name}", points)
    yield _spoilt(
        "manifest-data-victim",
        lambda around: change_json(around.target / "run.json", put(str(around.victim), "data_file")),
    )


def _contents() -> Iterator[Item]:
    """trajectories.jsonl, replies.jsonl, failures.jsonl: what was said."""
    said = "trajectories.jsonl"
    yield _add("torn-trajectory", said, b'{"task_id": "mini_0/0", "ses')
    yield _add("lines-no-json", said, b"nonsense\n")
    yield _add("lines-not-utf8", said, b'{"task_id": "\xff\xfe"}\n')
    yield _add("lines-nul", said, b"\0" * 1000 + b"\n")
    yield _add("lines-nan", said, b'{"task_id": "x", "session_id": "x", "steps": [], "epoch": NaN}\n')
    yield _add("lines-deep", said, b'{"task_id": ' + nested(100_000).encode() + b"}\n")
    yield _add("lines-list", said, b"[1]\n")
    yield _lines("trajectory-newer", said, put(99, "version"), refused=True)
    for name, value in (("traversal", "../../../x"), ("evil", EVIL), ("surrogate", "\ud800"), ("long", "x" * 100_000)):
        yield _lines(f"trajectory-id-{name}", said, put(value, "task_id"))
        yield _lines(f"trajectory-session-{name}", said, put(value, "session_id"))
    for name, number in (("huge", 10**9), ("negative", -1), ("float", 0.5)):
        yield _lines(f"trajectory-index-{name}", said, put(number, "task_index"))
        yield _lines(f"trajectory-epoch-{name}", said, put(number, "epoch"))
    reply = ("steps", 0, "reply")
    yield _lines("reply-evil", said, put({"content": EVIL, "reasoning": EVIL}, *reply))
    calls = [{"id": EVIL, "name": EVIL, "arguments": EVIL}, {"id": None, "name": None, "arguments": {"a": HUGE}}]
    yield _lines("reply-evil-calls", said, put({"content": EVIL, "tool_calls": calls}, *reply))
    yield _lines("reply-many-calls", said, put({"tool_calls": calls[:1] * 5000}, *reply))
    deep: Any = "x"
    for _ in range(500):
        deep = {"a": deep}
    yield _lines("reply-deep-arguments", said, put({"tool_calls": [{"name": "f", "arguments": deep}]}, *reply))
    yield _lines("reply-huge-usage", said, put({"content": "x", "usage": {"input_tokens": 10**30}}, *reply))
    yield _lines("reply-negative-latency", said, put({"content": "x", "latency": -1e308}, *reply))
    yield _lines("reply-wrong-types", said, put({"content": 7, "tool_calls": "x", "usage": []}, *reply))
    yield _lines("reply-long", said, put({"content": "長x" * 500_000}, *reply))
    yield _lines("tools-evil", said, put([{"name": EVIL, "description": EVIL, "parameters": {}}], "tools"))
    backtracking = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
    yield _lines("tools-pattern", said, put([{"name": "f", "description": "", "parameters": backtracking}], "tools"))
    line = {"key": "mini_0/0", "session_id": EVIL, "blame": EVIL, "reason": EVIL}
    yield _raw("failures-evil", "failures.jsonl", json.dumps(line).encode() + b"\n")
    journal = {"key": "../../x", "step": 10**9, "reply": {"content": EVIL}, "role": EVIL}
    yield _raw("replies-evil", "replies.jsonl", json.dumps(journal).encode() + b"\n")
    yield _raw("replies-no-json", "replies.jsonl", b"nonsense\n")
    yield _raw("batches-no-json", "batches.jsonl", b"nonsense\n")


def _derived() -> Iterator[Item]:
    """scores.jsonl and metrics.json: a stranger's, edited, or older than what was said."""

    def edited(metrics: Any) -> None:
        for tables in metrics["scorings"].values():
            row = tables["overall"]["task_accuracy"]
            row.update(value=0.97314, correct=97_314, total=100_000, ci95=[0.97313, 0.97315])

    yield _json("metrics-edited", "metrics.json", edited, forbidden=(EDITED, "97.3%", "97314", "0.97314"))
    yield _json("metrics-traversal-language", "metrics.json", put("../../../victims/new", "language"))
    yield _json("metrics-traversal-benchmark", "metrics.json", put("../../../victims/new", "benchmark"))
    yield _json("metrics-evil-language", "metrics.json", put(EVIL, "language"))
    yield _json("metrics-evil-headline", "metrics.json", put(EVIL, "headline"))
    yield _json("metrics-evil-scorings", "metrics.json", lambda old: old | {"scorings": {EVIL: {EVIL: {EVIL: {}}}}})
    yield _json("metrics-newer", "metrics.json", put(99, "version"))
    yield _json("metrics-huge", "metrics.json", put(HUGE, "requested"))
    for value in ANYTHING:
        yield _json(f"metrics-all-{type(value).__name__}", "metrics.json", all_fields(value, version=3))
    yield _raw("metrics-nan", "metrics.json", b'{"version": 3, "language": "en", "missing": NaN}')
    yield _raw("metrics-deep", "metrics.json", b'{"version": 3, "scorings": ' + nested(100_000).encode() + b"}")
    yield _raw("metrics-list", "metrics.json", b"[]")
    yield _lines("scores-evil", "scores.jsonl", put(EVIL, "scorings", "exact", "detail"))
    yield _lines("scores-evil-ids", "scores.jsonl", put(EVIL, "task_id"))
    yield _lines("scores-evil-mistake", "scores.jsonl", put(EVIL, "scorings", "exact", "mistake"))
    yield _lines("scores-traversal", "scores.jsonl", put("../../x", "session_id"))
    yield _lines("scores-progress", "scores.jsonl", put([-1, 0], "scorings", "exact", "progress"))
    yield _lines("scores-index", "scores.jsonl", put(10**9, "task_index"))
    yield _lines("scores-no-scorings", "scores.jsonl", put({}, "scorings"))
    yield _raw("scores-empty", "scores.jsonl", b"")
    yield _raw("scores-no-json", "scores.jsonl", b"nonsense\n")

    def stale(around: Surroundings) -> None:
        shutil.copy(around.samples / "perfect" / "trajectories.jsonl", around.target / "trajectories.jsonl")
        change_lines(around.target / "scores.jsonl", put(STALE, "scorings", "exact", "detail"))
        change_json(around.target / "metrics.json", edited)

    yield _spoilt("scores-stale", stale, forbidden=(STALE, "97.3%", "97314", "0.97314"))


def _folders() -> Iterator[Item]:
    """The folder itself, and files that lack."""
    yield Item("nothing-there", lambda around: None)
    yield Item("empty-folder", lambda around: around.target.mkdir())
    yield Item("a-file", written("x"))
    yield Item("a-pipe", lambda around: fifo(around.target))
    for name in READ[:4]:
        yield _spoilt(f"without-{name}", at(name, remove))

    def foreign(around: Surroundings) -> None:
        around.target.mkdir()
        (around.target / "thesis.txt").write_text("a life's work")
        (around.target / "details.csv").write_text("mine\n")
        (around.target / "failures.jsonl").write_text("mine\n")

    yield Item("foreign-files", foreign)
    yield Item("a-generation", lambda around: shutil.copytree(around.samples / "generation", around.target))
    yield _spoilt("unreadable", lambda around: (around.target / "run.json").chmod(0))
