"""What every loader of data needs: known languages and checksums."""

from __future__ import annotations

import hashlib
from pathlib import Path

from toolgauge.errors import DataError, UsageError, os_cause
from toolgauge.files import open_regular

LANGUAGES = ("en", "zh")


def sha256_of(path: Path | str) -> str:
    """The sha256 of a file's content, as hexadecimal digits."""
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(f"cannot read: {os_cause(error)}", path) from error


def known_language(language: str) -> None:
    """UsageError unless it is one of the two."""
    if language not in LANGUAGES:
        raise UsageError(f"unknown language '{language}'; choose en or zh")
