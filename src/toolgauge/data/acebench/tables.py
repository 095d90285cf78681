"""The initial tables of the agents' environments: what each holds, and where they are found.

They are the benchmark's data. `toolgauge data fetch acebench` reads them out of the public project's scenario files
(`scenario.py`); they lie in `environments/<language>/<table>.json` beside the `data_all` folder.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from toolgauge.chat import Json
from toolgauge.data.lines import parse_line
from toolgauge.data.load import known_language
from toolgauge.data.record import must_be, named
from toolgauge.errors import DataError

TABLES: dict[str, dict[str, type]] = {
    "base": {"wifi_default": bool, "logged_in_default": bool},
    "message": {"max_capacity": int, "message_id_counter": int, "user_list": dict, "inbox": dict},
    "reminder": {"max_capacity": int, "reminder_id_counter": int, "reminder_list": dict},
    "food": {
        "users": dict,
        "merchant_list": dict,
        "logged_in_users": list,
        "orders": list,
        "balance_must_exceed_total": bool,
    },
    "travel": {
        "users": dict,
        "flights": list,
        "reservations": list,
        "cabin_economy": str,
        "cabin_business": str,
        "free_baggage": dict,
        "fee_per_extra_bag": int,
        "cancel_clock": str,
        "airline_cancel_reason": str,
    },
}
"""What each table must hold. Clocks are "YYYY-MM-DD HH:MM:SS", prices and balances are in yuan."""


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
        f"no tables of the environments (environments/{language}/*.json) beside it or in the cache; "
        "run `toolgauge data fetch acebench`",
        folder or "acebench",
    )


def write_table(path: Path, table: Json) -> None:
    """Write a table, whole or not at all; a file that says the same already is left alone. Raises OSError."""
    text = json.dumps(table, indent=1, ensure_ascii=False) + "\n"
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".json.new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def missing_fields(table: Json, fields: dict[str, type]) -> str | None:
    """What a table lacks, in words; None where it has every field in the right kind."""
    for key, kind in fields.items():
        if key not in table:
            return f"{key}: is missing"
        if type(table[key]) is not kind:
            return f"{key}: {must_be(kind, table[key])}"
    return None


def _read(path: Path, fields: dict[str, type]) -> Json:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror or error}", path) from error
    table: Any = parse_line(content, path, 1)
    if type(table) is not dict:
        raise DataError(f"must hold an object, not {named(table)}", path)
    lack = missing_fields(table, fields)
    if lack:
        raise DataError(lack, path)
    return table


def _cached_folder(cache_dir: Path | str | None) -> Path:
    from toolgauge.data.catalogue import source
    from toolgauge.data.fetch import data_set_folder

    return data_set_folder(source("acebench"), cache_dir)
