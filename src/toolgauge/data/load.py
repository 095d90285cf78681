"""What every loader of data needs: known languages, checksums, no garbage collection meanwhile."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from toolgauge.errors import DataError, UsageError
from toolgauge.files import open_regular
from toolgauge.locale import _
from toolgauge.locale.foreign import os_cause

LANGUAGES = ("en", "zh")


def sha256_of(path: Path | str) -> str:
    """The sha256 of a file's content, as hexadecimal digits."""
    try:
        with open_regular(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataError(_("cannot be read: {why}", why=os_cause(error)), path) from error


@contextmanager
def collector_paused() -> Iterator[None]:
    """No garbage collection while a great many objects are made that form no cycles: it would double the time.

    Afterwards they count as old, where nobody else has frozen objects: else the next collection walks through them all.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()


@contextmanager
def collector_spared() -> Iterator[None]:
    """Garbage collection leaves out what exists already, and is rarer: it would walk through that again and again.

    What somebody else has frozen (who forks, for example) stays frozen, for `gc.unfreeze` takes back everything.
    """
    thresholds, is_ours = gc.get_threshold(), not gc.get_freeze_count()
    gc.freeze()
    gc.set_threshold(20 * thresholds[0], *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        if is_ours:
            gc.unfreeze()


def known_language(language: str) -> None:
    """UsageError unless it is one of the two."""
    if language not in LANGUAGES:
        raise UsageError(_("language {language!r} is not known; choose en or zh", language=language))
