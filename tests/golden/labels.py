"""Labels, flags and mistakes of every scoring: built-in models on every benchmark, in both languages and histories.

A line is a task under a model: what each scoring says of it, scorings and settings that agree together.

    noisy mini_0/0  gold+own: exact+released malformed_call 0/2; tables refusal 0/2

Of a verdict: "optimal", "correct" or the mistake; the label of the calls alone where it is another; the progress.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import toolgauge
from tests.golden.make_folders import SCRIPTED, SCRIPTS

Json = dict[str, Any]
Verdicts = dict[str, str]
"""What a run says of each task, by its id."""

FIXTURES = Path(__file__).parent.parent / "fixtures"
SEEDED = ("oracle", "silent", "keyword", *(f"noisy?seed={seed}&rate=1" for seed in range(6)))
"""The models for small files: in few tasks, mistakes again and again."""
EVERY_NTH = 12
"""Of each category of ACEBench's public data, which tasks have a line of their own."""


def mini(scratch: Path, language: str) -> Iterator[str]:
    """The embedded benchmark; its first sessions also under replies that were recorded once."""
    yield from graph_lines(scratch, "mini", language, models=("oracle", "silent", "keyword", "noisy?seed=1&rate=0.5"))
    scripted = f"scripted?file={SCRIPTS / language}.jsonl"
    yield from graph_lines(scratch, "mini", language, models=(scripted,), limit=SCRIPTED)


def mmtb(scratch: Path) -> Iterator[str]:
    """The small file in MMTB's format, in both languages."""
    for language in ("en", "zh"):
        for line in graph_lines(scratch, "mmtb", language, FIXTURES / "mmtb_small.jsonl", SEEDED):
            yield f"{language} {line}"


def wildtoolbench(scratch: Path, shared: Path, language: str) -> Iterator[str]:
    """WildToolBench's public sample."""
    data = shared / "data" / "wildtoolbench" / "sample_sessions.jsonl"
    yield from graph_lines(scratch, "wildtoolbench", language, data, SEEDED)


def graph_lines(
    scratch: Path,
    benchmark: str,
    language: str,
    data: Path | None = None,
    models: Iterable[str] = (),
    limit: int | None = None,
) -> Iterator[str]:
    """A benchmark of sessions under several models, with both histories."""
    for model in models:
        found = {
            history: verdicts(scratch, benchmark, model, language=language, data=data, history=history, limit=limit)
            for history in ("gold", "own")
        }
        yield from lines(model, found)


def acebench(scratch: Path, shared: Path, language: str) -> Iterator[str]:
    """ACEBench: a digest of all verdicts of each category, and a line for some tasks of it."""
    noisy, data = "noisy?seed=1&rate=1", shared / "data" / "acebench" / "data_all"
    everything = verdicts(scratch, "acebench", noisy, language=language, data=data)
    by_category: dict[str, list[str]] = {}
    for task in everything:
        by_category.setdefault(task.rstrip("0123456789_"), []).append(task)
    for category, tasks in by_category.items():
        digest = hashlib.sha256("\n".join(f"{task} {everything[task]}" for task in tasks).encode()).hexdigest()
        yield f"noisy {category}: {len(tasks)} tasks, prompt, sha256 {digest[:16]}"
    some = [task for tasks in by_category.values() for task in tasks[::EVERY_NTH]]
    for model in ("oracle", "silent", noisy):
        found = {
            style: verdicts(scratch, "acebench", model, language=language, data=data, ids=some, style=style)
            for style in ("prompt", "native")
        }
        yield from lines(model, found)


def verdicts(scratch: Path, benchmark: str, model: str, **options: Any) -> Verdicts:
    """Run a built-in model and read its scores."""
    out = scratch / f"run{len(list(scratch.iterdir()))}"
    toolgauge.run(benchmark, f"builtin/{model}", out=out, **options)
    scores = (json.loads(line) for line in (out / "scores.jsonl").read_bytes().splitlines())
    return {score["task_id"]: verdict_text(score) for score in scores}


def verdict_text(score: Json) -> str:
    """What all scorings say of a task; those that say the same stand together."""
    said: dict[str, list[str]] = {}
    for scoring, verdict in score["readings"].items():
        said.setdefault(one_verdict(verdict), []).append(scoring)
    for scoring in score.get("not_judgeable", ()):
        said.setdefault("not judgeable", []).append(scoring)
    return "; ".join(f"{'+'.join(scorings)} {text}" for text, scorings in said.items())


def one_verdict(verdict: Json) -> str:
    """Label, flags and mistake of one scoring. Names of tools and arguments may be the public data's: left out."""
    wrong = verdict["label"] != "correct"
    words = [verdict["mistake"] or "error" if wrong else "optimal" if verdict["optimal"] else "correct"]
    if verdict["action_label"] != verdict["label"]:
        words.append(f"(calls {verdict['action_label']})")
    words.append("/".join(map(str, verdict["progress"])))
    if "process" in verdict:
        words.append(f"process {verdict['process']:.4g}")
    return " ".join(words)


def lines(model: str, found: dict[str, Verdicts]) -> Iterator[str]:
    """A line per task. found: by setting."""
    name = model if model in SEEDED else model.partition("?")[0]
    for task in dict.fromkeys(task for verdicts in found.values() for task in verdicts):
        said: dict[str, list[str]] = {}
        for setting, verdicts in found.items():
            said.setdefault(verdicts.get(task, "no score"), []).append(setting)
        yield f"{name} {task}  " + " | ".join(f"{'+'.join(where)}: {text}" for text, where in said.items())
