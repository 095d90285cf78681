"""Labels, flags and mistakes of every scoring: built-in models on every benchmark, in both languages and histories.

A line is a task under a model: what each scoring says of it, scorings and settings that agree together.

    noisy mini_0/0  gold+own: exact+released malformed_call 0/2; tables refusal 0/2

Of a verdict: "optimal", "correct" or the mistake; the label of the calls alone where it differs; the progress.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import toolgauge

Json = dict[str, Any]
Verdicts = dict[str, str]
"""What all scorings say of each task of a run, by the task's id."""

FIXTURES = Path(__file__).parent.parent / "fixtures"
SCRIPTS, SCRIPTED = Path(__file__).parent / "folders" / "scripts", 16
"""Replies with mistakes to so many of mini's first sessions: unlike noisy's they stay as they are."""
SMALL = {
    "mmtb": FIXTURES / "mmtb_small.jsonl",
    "wildtoolbench": FIXTURES / "wildtoolbench_small.jsonl",
    "acebench": FIXTURES / "acebench" / "data_all",
}
"""Data written by hand in the formats of the public benchmarks."""
SEEDED = tuple(f"noisy?seed={seed}&rate=1" for seed in range(4))
"""For small files: in few tasks, mistakes again and again."""
EVERY_NTH = 12
"""Of each category of ACEBench's public data, which tasks have a line of their own."""


def mini(scratch: Path, language: str) -> Iterator[str]:
    """The embedded benchmark; its first sessions also under replies that were recorded once."""
    models = ("oracle", "silent", "keyword", "noisy?seed=1&rate=0.5")
    yield from model_lines(scratch, "mini", models, language=language)
    scripted = f"scripted?file={SCRIPTS / language}.jsonl"
    yield from model_lines(scratch, "mini", [scripted], language=language, limit=SCRIPTED)


def small(scratch: Path, benchmark: str) -> Iterator[str]:
    """A small file of our own, in both languages."""
    for language in ("en", "zh"):
        models = ("oracle", "silent", *SEEDED)
        for line in model_lines(scratch, benchmark, models, language=language, data=SMALL[benchmark]):
            yield f"{language} {line}"


def wildtoolbench(scratch: Path, shared: Path, language: str) -> Iterator[str]:
    """WildToolBench's public sample."""
    data = shared / "data" / "wildtoolbench" / "sample_sessions.jsonl"
    models = ("oracle", "silent", "keyword", *SEEDED)
    yield from model_lines(scratch, "wildtoolbench", models, language=language, data=data)


def acebench(scratch: Path, shared: Path, language: str) -> Iterator[str]:
    """ACEBench: a digest of all verdicts of each category, and a line for some tasks of it."""
    noisy, data = "noisy?seed=1&rate=1", shared / "data" / "acebench" / "data_all"
    verdicts = run_verdicts(scratch, "acebench", noisy, language=language, data=data)
    by_category: dict[str, list[str]] = {}
    for task in verdicts:
        by_category.setdefault(task.rstrip("0123456789_"), []).append(task)
    for category, tasks in by_category.items():
        digest = hashlib.sha256("\n".join(f"{task} {verdicts[task]}" for task in tasks).encode()).hexdigest()
        yield f"noisy {category}: {len(tasks)} tasks, prompt, sha256 {digest[:16]}"
    sample = [task for tasks in by_category.values() for task in tasks[::EVERY_NTH]]
    yield from model_lines(scratch, "acebench", ("oracle", "silent", noisy), language=language, data=data, ids=sample)


def model_lines(scratch: Path, benchmark: str, models: Iterable[str], **options: Any) -> Iterator[str]:
    """A line for every task under every model, with both histories; in ACEBench with both styles of calls."""
    option, settings = ("style", ("prompt", "native")) if benchmark == "acebench" else ("history", ("gold", "own"))
    for model in models:
        runs = {one: run_verdicts(scratch, benchmark, model, **options, **{option: one}) for one in settings}
        name = model if model in SEEDED else model.partition("?")[0]
        for task in dict.fromkeys(task for verdicts in runs.values() for task in verdicts):
            texts = {setting: verdicts.get(task, "no score") for setting, verdicts in runs.items()}
            yield f"{name} {task}  {agreeing(texts)}"


def run_verdicts(scratch: Path, benchmark: str, model: str, **options: Any) -> Verdicts:
    """Run a built-in model and read its scores."""
    out = scratch / f"run{len(list(scratch.iterdir()))}"
    toolgauge.run(benchmark, f"builtin/{model}", out=out, **options)
    scores = (json.loads(line) for line in (out / "scores.jsonl").read_bytes().splitlines())
    return {score["task_id"]: score_text(score) for score in scores}


def score_text(score: Json) -> str:
    """What all scorings say of a task."""
    texts = {scoring: verdict_text(verdict) for scoring, verdict in score["scorings"].items()}
    texts |= dict.fromkeys(score.get("not_judgeable", ()), "not judgeable")
    return agreeing(texts, " ", "; ")


def verdict_text(verdict: Json) -> str:
    """Label, flags and mistake of one scoring. Names of tools and arguments may be the public data's: left out."""
    wrong = verdict["label"] != "correct"
    words = [verdict["mistake"] or "error" if wrong else "optimal" if verdict["optimal"] else "correct"]
    if verdict["action_label"] != verdict["label"]:
        words.append(f"(calls {verdict['action_label']})")
    words.append("/".join(map(str, verdict["progress"])))
    if "process" in verdict:
        words.append(f"process {verdict['process']:.4g}")
    return " ".join(words)


def agreeing(texts: Mapping[str, str], colon: str = ": ", between: str = " | ") -> str:
    """Texts with their names; equal texts once, with all of their names."""
    names: dict[str, list[str]] = {}
    for name, text in texts.items():
        names.setdefault(text, []).append(name)
    return between.join("+".join(named) + colon + text for text, named in names.items())
