"""What the initial tables of the agents' environments hold, and how they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from toolgauge.data.record import must_be
from toolgauge.files import own_folder, read_own, write_whole

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


def write_table(path: Path, table: Mapping[str, object]) -> None:
    """Write a table, whole or not at all; a file that says the same already is left alone. Raises OSError."""
    text = json.dumps(table, indent=1, ensure_ascii=False) + "\n"
    for folder in (path.parent.parent, path.parent):
        own_folder(folder)
    with suppress(FileNotFoundError):
        if read_own(path) == text.encode():
            return
    write_whole(path, text.encode())


def missing_fields(table: Mapping[str, object], fields: dict[str, type]) -> str | None:
    """What a table lacks, in words; None where it has every field in the right kind."""
    for key, kind in fields.items():
        if key not in table:
            return ": ".join([key, "is missing"])
        if type(table[key]) is not kind:
            return ": ".join([key, must_be(kind, table[key])])
    return None
