"""What people and programs read of runs: metrics, printed tables, CSV, comparisons, the pages of a site."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import toolgauge
from tests.end_to_end.playing import call, command
from tests.golden.labels import SMALL, agreeing
from tests.report.page_reading import Element, read

Json = dict[str, Any]
NOISY = "builtin/noisy?seed=3&rate=0.5"
RUNS: dict[str, tuple[str, Json]] = {
    "mini-en": ("mini", {}),
    "mini-zh": ("mini", {"language": "zh"}),
    "mmtb": ("mmtb", {"data": SMALL["mmtb"]}),
    "acebench": ("acebench", {"data": SMALL["acebench"]}),
}
"""Whose tables are recorded: benchmark and options."""
RATE = {"value", "correct", "total", "ci95", "requested", "scored", "missing"}
ROWS = 4
"""Of details.csv."""
SHORT = 120
"""Characters of a cell that are shown."""
LONG = 400
"""Characters of a JSON object that stands in one line."""
SESSIONS = 4
"""In the runs of the comparison and of the site."""
DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?: UTC|Z)?)?")
UNSEEN = {"head", "script", "style", "template"}
TIGHT = {"a", "b", "code", "em", "i", "strong", "sub", "sup"}
LOOSE = {"abbr", "bdi", "kbd", "mark", "small", "span", "time", "tspan", "wbr"}
"""What stands within a line, without and with space around it."""


def metrics(scratch: Path, name: str) -> Iterator[str]:
    """What metrics.json holds."""
    content = json.loads((recorded(scratch, name) / "metrics.json").read_bytes())
    scorings, figures = content.pop("scorings"), content.pop("figures", {})
    for made in ("run.json", "seal", "code"):  # of this moment, of this user, of each commit
        content["sources"].pop(made)
    yield from (f"{path} {text}" for path, text in facts(content))
    yield from side_by_side(scorings)
    yield from side_by_side(figures)


def tables(scratch: Path, name: str) -> Iterator[str]:
    """What `score` prints, and the beginning of details.csv."""
    recorded(scratch, name)
    code, out, err = call(command("score", name, "--tables", "all"), scratch)
    yield f"exit code {code}"
    yield from (line.rstrip() for line in (out + err).splitlines())
    with (scratch / name / "details.csv").open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        for number, row in zip(range(ROWS), reader, strict=False):
            yield f"== details.csv, row {number + 1}"
            for column, cell in zip(header, row, strict=True):
                shown = json.dumps(cell[:SHORT], ensure_ascii=False)
                yield f"{column} {shown}" + (f" ... {len(cell)} characters" if len(cell) > SHORT else "")


def generation(scratch: Path, language: str) -> Iterator[str]:
    """Two dialogues by the scripted agents, of all kinds: as people read them, and how their calls are annotated."""
    options = ("--paths", "single,multi; clarify,chat", "--set", "dialogues.year=2025")
    code, _out, _err = call(command("generate", "--demo", "--language", language, *options, "--out", "made"), scratch)
    yield f"exit code {code}"
    yield from (line.rstrip() for line in (scratch / "made" / "dialogues.md").read_text("utf-8").splitlines())
    for line in (scratch / "made" / "sessions.jsonl").read_text("utf-8").splitlines():
        yield from (f"{path} {text}" for path, text in facts(json.loads(line)) if "answer_list" in path)


def recorded(scratch: Path, name: str) -> Path:
    """The run directory of one of RUNS."""
    benchmark, options = RUNS[name]
    toolgauge.run(benchmark, NOISY, out=scratch / name, **options)
    return scratch / name


def comparison(scratch: Path) -> Iterator[str]:
    """What `compare` prints of two runs, and what --json writes: of its tables, the rows in which the runs differ."""
    two_runs(scratch)
    code, out, err = call(command("compare", "first", "second", "--json", "compared.json"), scratch)
    yield f"exit code {code}"
    yield from (line.rstrip() for line in (out + err).splitlines())
    (content,) = json.loads((scratch / "compared.json").read_bytes())["comparisons"]
    scorings = content.pop("scorings")
    yield from (f"{path} {text}" for path, text in facts(content))
    for compared in scorings.values():
        for table in compared["tables"].values():
            for row in [row for row, cells in table.items() if not cells["difference"]]:
                del table[row]
    yield from side_by_side(scorings)


def side_by_side(scorings: dict[str, Any]) -> Iterator[str]:
    """Documents of the same form, a fact per line; scorings that agree in it together."""
    by_scoring = {scoring: dict(facts(content)) for scoring, content in scorings.items()}
    for path in dict.fromkeys(path for content in by_scoring.values() for path in content):
        texts = {scoring: content.get(path, "missing") for scoring, content in by_scoring.items()}
        yield f"{path}  {agreeing(texts)}"


def facts(content: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """A JSON document in short lines: path and content; rates as value, share and interval."""
    text = json.dumps(content, ensure_ascii=False)
    if is_rate(content):
        counted = f"{content['value']} {content['correct']}/{content['total']} {content['ci95']}"
        yield path, f"{counted} of {content['requested']}, {content['missing']} missing"
    elif not path or (isinstance(content, dict) and (len(text) > LONG or any(map(is_rate, content.values())))):
        for name, value in content.items():
            yield from facts(value, f"{path}.{name}" if path else name)
    elif isinstance(content, list) and content and isinstance(content[0], dict):
        for number, value in enumerate(content):
            yield from facts(value, f"{path}.{number}")
    else:
        yield path, text


def is_rate(content: Any) -> bool:
    return isinstance(content, dict) and content.keys() == RATE


def site(scratch: Path, language: str) -> Iterator[str]:
    """The files of a site of two runs, and the text of its pages in one language; of pages that differ in the run or
    (in Chinese) in the scoring alone, the first."""
    two_runs(scratch)
    code, out, err = call(command("report", "first", "second", "--out", "site"), scratch)
    yield f"exit code {code}"
    yield from (line.rstrip() for line in (out + err).splitlines() if "MB" not in line)
    folder = scratch / "site"
    files = sorted(file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    if language == "en":
        yield from (f"file {file}" for file in files)
    for file in files:
        repeated = "runs/mini-en-builtin_noisy_seed_2" in file or (language == "zh" and "-in-" in file)
        if file.endswith(".html") and file.startswith("zh/") == (language == "zh") and not repeated:
            yield f"== {file}"
            yield from page_text((folder / file).read_text("utf-8"))


def two_runs(scratch: Path) -> None:
    """The directories `first` and `second`."""
    for name, seed in (("first", 1), ("second", 2)):
        toolgauge.run("mini", f"builtin/noisy?seed={seed}&rate=0.5", limit=SESSIONS, out=scratch / name)


def page_text(html: str) -> Iterator[str]:
    """What somebody reads on a page, without dates and versions: a line per block, a table's row in one line."""
    for line in visible(read(html)):
        words = " ".join(line.split()).replace(toolgauge.__version__, "VERSION")
        if words:
            yield DATE.sub("DATE", words)


def visible(element: Element) -> Iterator[str]:
    """The text of an element in lines."""
    if element.tag in UNSEEN:
        return
    if element.tag == "tr":
        cells = [child for child in element.children if isinstance(child, Element)]
        yield " | ".join(" ".join(" ".join(visible(cell)).split()) for cell in cells)
        return
    line: list[str] = []
    for child in element.children:
        if isinstance(child, str):
            line.append(child)
        elif child.tag in TIGHT | LOOSE:
            words = " ".join(visible(child))
            line.append(f" {words} " if child.tag in LOOSE else words)
        else:
            yield "".join(line)
            line = []
            yield from visible(child)
    yield "".join(line)
