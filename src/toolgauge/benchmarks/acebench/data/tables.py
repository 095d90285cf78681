"""The initial tables of the agents' environments: where they are found (what they hold: table_form.py).

They are the benchmark's data. `toolgauge data fetch acebench` reads them out of the public project's scenario files
(`scenario.py`); they lie in `environments/<language>/<table>.json` beside the `data_all` folder.
"""

from __future__ import annotations

from pathlib import Path

from toolgauge.benchmarks.acebench.data.table_form import TABLES, missing_fields
from toolgauge.chat import Json
from toolgauge.data.lines import known_language, parse_line
from toolgauge.data.record import named
from toolgauge.errors import DataError, os_cause
from toolgauge.files import read_whole


def load_tables(
    language: str, folder: Path | str | None = None, cache_dir: Path | str | None = None
) -> dict[str, Json]:
    """The tables of one language ("en" or "zh"), by the names in TABLES; a fresh copy with every call.

    folder: a `data_all` folder, the folder that holds it, or an `environments` folder; where no tables lie beside it,
    or none is given, those that were fetched into the cache are taken. Raises DataError where there are none, or where
    one lacks something.
    """
    known_language(language)
    place = find_tables(language, folder, cache_dir)
    return {name: _read(place / f"{name}.json", fields) for name, fields in TABLES.items()}


def find_tables(language: str, folder: Path | str | None = None, cache_dir: Path | str | None = None) -> Path:
    """The folder with the tables of one language; DataError where there is none."""
    candidates: list[Path] = []
    if folder is not None:
        given = Path(folder).absolute()
        candidates += [given / "environments" / language, given / language, given.parent / "environments" / language]
    candidates.append(_cached_folder(cache_dir) / "environments" / language)
    for candidate in candidates:
        if (candidate / "base.json").is_file():
            return candidate
    raise DataError(
        f"no environment tables (environments/{language}/*.json) beside it or in the cache; run "
        "`toolgauge data fetch acebench`",
        folder or "acebench",
    )


def _read(path: Path, fields: dict[str, type]) -> dict[str, object]:
    try:
        content = read_whole(path)
    except OSError as error:
        raise DataError(f"cannot be read: {os_cause(error)}", path) from error
    table: object = parse_line(content, path, 1)
    if type(table) is not dict:
        raise DataError(f"must hold an object, not {named(table)}", path)
    lack = missing_fields(table, fields)
    if lack:
        raise DataError(lack, path)
    return table


def _cached_folder(cache_dir: Path | str | None) -> Path:
    from toolgauge.benchmarks.acebench.data.published import ACEBENCH
    from toolgauge.data.fetch import data_set_folder

    return data_set_folder(ACEBENCH, cache_dir)
