"""The golden record: what must not change while the code does, computed and compared, or written anew.

    python -m tests.golden.make [NAME...]      write records/ (or these records of it) as the present code makes them

A record is a text file of facts, one per line. Those of public data need the sample data beside the project, of which
they hold ids and labels alone.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable, Iterable
from difflib import unified_diff
from functools import partial
from itertools import islice
from pathlib import Path

from tests.golden import acebench, labels, model_texts, pages

RECORDS = Path(__file__).parent / "records"
SHOWN = 60
"""Lines of a difference."""

OWN: dict[str, Callable[[Path], Iterable[str]]] = {
    "labels-mini-en": partial(labels.mini, language="en"),
    "labels-mini-zh": partial(labels.mini, language="zh"),
    "labels-mmtb-small": partial(labels.small, benchmark="mmtb"),
    "labels-wildtoolbench-small": partial(labels.small, benchmark="wildtoolbench"),
    "labels-acebench-small": partial(labels.small, benchmark="acebench"),
    "requests": lambda _scratch: model_texts.requests(),
    "dialects": lambda _scratch: model_texts.dialects(),
    "metrics-mini-en": partial(pages.metrics, name="mini-en"),
    "metrics-mmtb": partial(pages.metrics, name="mmtb"),
    "metrics-acebench": partial(pages.metrics, name="acebench"),
    "tables-mini-en": partial(pages.tables, name="mini-en"),
    "tables-mini-zh": partial(pages.tables, name="mini-zh"),
    "tables-mmtb": partial(pages.tables, name="mmtb"),
    "tables-acebench": partial(pages.tables, name="acebench"),
    "comparison": pages.comparison,
    "generation-en": partial(pages.generation, language="en"),
    "generation-zh": partial(pages.generation, language="zh"),
    "site-en": partial(pages.site, language="en"),
    "site-zh": partial(pages.site, language="zh"),
}
"""By name, what makes the lines of a record in an empty folder."""

PUBLIC: dict[str, Callable[[Path, Path], Iterable[str]]] = {
    "labels-wildtoolbench-en": partial(labels.wildtoolbench, language="en"),
    "labels-wildtoolbench-zh": partial(labels.wildtoolbench, language="zh"),
    "labels-acebench-en": partial(labels.acebench, language="en"),
    "labels-acebench-zh": partial(labels.acebench, language="zh"),
    "rules-acebench": acebench.rules,
}
"""The same for those that also need the folder beside the project."""


def difference(name: str, made: Iterable[str]) -> str | None:
    """What is new in a record, for people; None where it is as it was."""
    file = RECORDS / f"{name}.txt"
    before = file.read_text("utf-8").split("\n") if file.exists() else []
    now = [*made, ""]
    if before == now:
        return None
    changed = list(unified_diff(before, now, "recorded", "now", n=1, lineterm=""))
    more = f"\n... and {len(changed) - SHOWN} more lines" if len(changed) > SHOWN else ""
    return (
        f"{file.name} is not what it was:\n" + "\n".join(islice(changed, SHOWN)) + more + "\n\n"
        f"If that is meant: `python -m tests.golden.make {name}`, read the diff, and say so in CHANGELOG.md."
    )


def write(name: str, made: Iterable[str]) -> None:
    """Keep a record as it is made now."""
    RECORDS.mkdir(exist_ok=True)
    (RECORDS / f"{name}.txt").write_text("\n".join([*made, ""]), encoding="utf-8", newline="\n")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.golden.make", description="Write the golden record anew.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join([*OWN, *PUBLIC])}; all if none")
    asked = parser.parse_args()
    if unknown := [name for name in asked.names if name not in OWN and name not in PUBLIC]:
        parser.error(f"unknown record: {', '.join(unknown)}")
    shared = Path(os.environ.get("TOOLGAUGE_SHARED", Path(__file__).parents[3] / "shared"))
    for name in asked.names or [*OWN, *PUBLIC]:
        with tempfile.TemporaryDirectory() as scratch:
            if name in OWN:
                write(name, OWN[name](Path(scratch)))
            elif (shared / "data").is_dir():
                write(name, PUBLIC[name](Path(scratch), shared))
            else:
                print(f"{name}: the public data are not here; it stays as it was")
                continue
        print(f"{name}: written")


if __name__ == "__main__":
    main()
