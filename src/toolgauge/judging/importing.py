"""`data import --judge`: the sessions of an import made again as a judge says, in their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from toolgauge.data.lines import LANGUAGES, read_lines
from toolgauge.data.sessions import language_prefix
from toolgauge.data.weaknesses import WEAK
from toolgauge.errors import UsageError
from toolgauge.files import read_marker, replacing, write_whole
from toolgauge.judging.episode import JudgedConversation
from toolgauge.logs.importing import OTHERS, REPORT, SESSIONS, SPLITS, ImportReport


def annotate_import(folder: Path, judged: Mapping[str, JudgedConversation]) -> ImportReport:
    """Put annotated sessions in the place of those that rules made; conversations that were not judged keep theirs.

    judged: by the ids of conversations. Returns what import.json says now. Raises UsageError without that, DataError,
    StoreError.
    """
    report = read_marker(folder / REPORT, ImportReport)
    if report is None:
        raise UsageError(f"{folder}: {REPORT} is missing; import the log again")
    sessions = {name: one.session for name, one in judged.items() if one.session is not None}
    tasks, weak = 0, Counter[str]()
    for path in (folder / name for name in (SESSIONS, *OTHERS.values())):
        if not path.exists():
            continue
        with replacing(path) as file:
            for _number, record in read_lines(path):
                kept = sessions.get(record["id"], record)
                file.write(msgspec.json.encode(kept) + b"\n")
                tasks += sum(len(kept.get(f"{language_prefix(one)}tasks", ())) for one in LANGUAGES)
                weak.update(str(one["code"]) for one in kept["origin"].get(WEAK, ()))
    with replacing(folder / SPLITS) as file:
        for _number, line in read_lines(folder / SPLITS):
            if line["conversation"] not in sessions:
                file.write(msgspec.json.encode(line) + b"\n")
        for name in sessions:
            file.writelines(msgspec.json.encode(split) + b"\n" for split in judged[name].splits)
    report = replace(report, tasks=tasks, weak=dict(sorted(weak.items())))
    write_whole(folder / REPORT, msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n")
    return report
