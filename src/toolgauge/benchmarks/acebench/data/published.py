"""The published files of ACEBench, the known errors of their entries, and where the worlds' tables lie.

published.txt has the git blob id and the path in the public repository of each file. Of the scenario files, which hold
the environments' initial tables, those of `multi_turn` are taken: the tables of `multi_step` are the same
(docs/acebench.md#the-worlds). known.csv says what is wrong with entries; keys in it such as Q02:
docs/acebench.md#scorings. What the released rules make of them: docs/acebench.md#what-even-perfect-answers-cannot-pass.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

from toolgauge.benchmarks.acebench.data.scenario import write_tables
from toolgauge.benchmarks.acebench.data.tables import TABLES, read_table
from toolgauge.chat import Json
from toolgauge.data.fetch import data_set_folder
from toolgauge.data.files import DataSource, RemoteFile
from toolgauge.data.lines import known_language
from toolgauge.errors import DataError

REPOSITORY = "chenchen0103/ACEBench"
COMMIT = "56dd66cf6439b0d9655ee1b353e4cd745c6f664e"
_HERE = Path(__file__).parent


@cache
def published_files() -> tuple[RemoteFile, ...]:
    """Questions, answers and scenarios of both languages, with the place in the cache of each."""
    files = []
    for row in (_HERE / "published.txt").read_text(encoding="utf-8").splitlines():
        blob, path = row.split()
        place = path
        if not path.startswith("data_all/"):
            language = "zh" if "/scenarioszh/" in path else "en"
            place = f"scenarios/{language}/{path.rpartition('/')[2]}"
        files.append(RemoteFile(path, blob, place))
    return tuple(files)


@cache
def known_errors() -> dict[tuple[str, str], str]:
    """(language, id) -> what is wrong with the published entry, in words that follow its id."""
    found: dict[tuple[str, str], str] = {}
    with (_HERE / "known.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for language in row["languages"].split():
                for entry in row["entries"].split():
                    key, reason = (language, f"{row['category']}_{entry}"), row["what is wrong"]
                    found[key] = f"{found[key]}; {reason}" if key in found else reason
    return found


def _write_tables(folder: Path) -> None:
    """The environments' initial tables, read out of the scenario files."""
    write_tables(folder / "scenarios", folder / "environments")


ACEBENCH = DataSource(
    "acebench",
    "ACEBench: 17 categories, 1,023 entries in English and 1,017 in Chinese",
    REPOSITORY,
    COMMIT,
    published_files(),
    folder="data_all",
    finish=_write_tables,
)


def load_tables(language: str, folder: Path | str | None = None) -> dict[str, Json]:
    """The tables of one language ("en" or "zh") as plain JSON, by the names in TABLES.

    folder: a `data_all` folder, the folder that holds it, or an `environments` folder; where no tables lie beside it,
    or none is given, those that were fetched into the cache are taken. Raises DataError where there are none, or where
    one lacks something.
    """
    known_language(language)
    place = find_tables(language, folder)
    return {name: read_table(name, place / f"{name}.json") for name in TABLES}


def find_tables(language: str, folder: Path | str | None = None) -> Path:
    """The folder with the tables of one language; DataError where there is none."""
    candidates: list[Path] = []
    if folder is not None:
        given = Path(folder).absolute()
        candidates += [given / "environments" / language, given / language, given.parent / "environments" / language]
    candidates.append(data_set_folder(ACEBENCH) / "environments" / language)
    for candidate in candidates:
        if (candidate / "base.json").is_file():
            return candidate
    raise DataError(
        f"no environment tables (environments/{language}/*.json) beside it or in the cache; run "
        "`toolgauge data fetch acebench`",
        folder or "acebench",
    )
