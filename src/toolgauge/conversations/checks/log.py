"""A file of conversations checked: checks.jsonl, checks.json and checks.md beside it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from toolgauge.conversations.checks.check import checked
from toolgauge.conversations.checks.page import Page
from toolgauge.conversations.checks.tables import CheckTables, Tally
from toolgauge.conversations.files import read_conversations
from toolgauge.errors import UsageError
from toolgauge.files import read_marker, replacing, require_new, write_whole

FINDINGS, TABLES, PAGE = "checks.jsonl", "checks.json", "checks.md"


def check_log(path: Path, overwrite: bool = False, language: str = "en") -> CheckTables:
    """Check every conversation of a file and write what was found beside it; language: of checks.md.

    Those of an earlier check are replaced. Raises DataError where the file cannot be read, UsageError where other files
    have these names and are not to be overwritten.
    """
    folder = path.parent
    replaced = overwrite or read_marker(folder / TABLES, CheckTables) is not None
    for name in (FINDINGS, TABLES, PAGE):
        require_new(folder / name, replaced, inputs=[path])
    tally, page = Tally(), Page(language)
    with replacing(folder / FINDINGS) as file:
        for conversation in read_conversations(path):
            found = checked(conversation)
            file.writelines(msgspec.json.encode(one) + b"\n" for one in found.findings)
            tally.add(found)
            page.add(conversation, found)
        if not tally.conversations:
            raise UsageError(f"{path}: no conversation in this file")
    tables = tally.tables()
    write_whole(folder / TABLES, msgspec.json.format(msgspec.json.encode(tables), indent=1) + b"\n")
    write_whole(folder / PAGE, "\n".join(page.lines(tables)).encode("utf-8", "replace") + b"\n")
    return tables
