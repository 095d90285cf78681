"""From a data file to a `Dataset`: files of sessions and the two public data sets', read into one model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Literal

from msgspec import Struct

from toolgauge.benchmarks.dialogues.data import mmtb
from toolgauge.data import sessions
from toolgauge.data.corrections import Corrections
from toolgauge.data.files import DataSource, RemoteFile
from toolgauge.data.lines import LANGUAGES, read_lines, sha256_of
from toolgauge.data.record import DataLine
from toolgauge.data.schemas import PLAIN, Flavour
from toolgauge.data.session import Dataset
from toolgauge.data.sessions import RecordReader, load_sessions, session_file
from toolgauge.errors import DataError, UsageError

Family = Literal["wildtoolbench", "mmtb"]
"""Whose protocol, layout and rules data follow; files of sessions have WildToolBench's."""


class Layout(Struct, frozen=True):
    """How the records of a family are read."""

    reader: RecordReader
    flavour: Flavour
    """How its tools name types."""
    signs: frozenset[str]
    """Fields by which a record is known."""
    tasks: str
    """The field with what the user says, without the prefix of the language."""


LAYOUTS: Mapping[str, Layout] = {
    "wildtoolbench": Layout(
        sessions, PLAIN, frozenset({"english_tasks", "tasks", "english_task_types", "task_types"}), "tasks"
    ),
    "mmtb": Layout(mmtb, mmtb.FLAVOUR, frozenset({"english_task", "task", "type", "task_ids"}), "task"),
}


def load_dataset(
    path: Path | str,
    family: Family | None = None,
    language: str = "en",
    name: str | None = None,
    corrections: Corrections | None = None,
) -> Dataset:
    """All sessions of a file, or of the folder of a generation, in one language ("en" or "zh").

    family: whose protocol it is read for, detected where it is None; the rest as `load_sessions` has it, DataError too.
    The last data sets are kept as long as their files stay the same: a command needs its data more than once.
    """
    file = session_file(Path(path))
    layout = detect_family(file, family)
    if corrections is not None:
        return load_sessions(file, language, layout_of(layout).reader, name, corrections)
    return _load_once(file, sha256_of(file), language, layout, name)


@lru_cache(maxsize=2)  # one in each language
def _load_once(file: Path, _sha256: str, language: str, family: Family, name: str | None) -> Dataset:
    return load_sessions(file, language, layout_of(family).reader, name)


def languages_in(file: Path, family: Family | None = None) -> tuple[str, ...]:
    """The languages of a file's first record; DataError where it is none of any layout."""
    for line, value in read_lines(file):
        record = DataLine(file, line, value)
        reader = LAYOUTS[layout_family(record, family)].reader
        return tuple(one for one in LANGUAGES if reader.has_language(record.value, one))
    raise DataError("no sessions", file)


def detect_family(path: Path | str, family: Family | None = None) -> Family:
    """The family whose layout a file has, by its first record; see `layout_family`."""
    for line, value in read_lines(path):
        return layout_family(DataLine(path, line, value), family)
    raise DataError("no sessions", path)


def layout_family(record: DataLine, family: Family | None) -> Family:
    """The family whose layout a record has. family: whose data it should be; earlier versions of WildToolBench's data
    have MMTB's layout. Raises DataError where it is of another benchmark, or of none."""
    if family is None:
        return family_of(record)
    try:
        found = family_of(record)
    except DataError:
        return family  # its reader says what is wrong
    if found != family and family == "mmtb":
        raise record.error(
            "has WildToolBench's layout, not MMTB's; run it with wildtoolbench --data, or as data of your own "
            "(`toolgauge run FILE`)"
        )
    return found


def family_of(record: DataLine) -> Family:
    """The family of a record, by its field names."""
    fields = record.value.keys()
    families: tuple[Family, ...] = ("wildtoolbench", "mmtb")
    best = max(families, key=lambda one: len(LAYOUTS[one].signs & fields))
    if not LAYOUTS[best].signs & fields:
        raise record.error("unknown record format (expected wildtoolbench or mmtb)")
    return best


def layout_of(family: str) -> Layout:
    """The layout of a family; UsageError for an unknown one."""
    if family not in LAYOUTS:
        raise UsageError(f"unknown format {family!r}; choose wildtoolbench or mmtb")
    return LAYOUTS[family]


_WILDTOOLBENCH = ("yupeijei1997/WildToolBench", "80a5f427fb26c9a14eb419ccb565675671650065")
_MMTB = ("yupeijei1997/MMTB", "c0e83907fcd9534101777e2d980b1550a9fb98bb")

_ROLLOUTS = """
2025-02-08-18:47:21_3a3631_hammer7b .merge b613aa67413a95b1c91dc7d7e220bc399a7453af
2025-02-08-18:50:29_2dd64b_qwen72b .merge f682b4653ff73abbc78975c6d9192ad77ff55a4e
2025-02-08-19:21:23_189223_watt8b .merge a1024ba5fe5cda2eb0f9b5044a6e8da6da6cdcc8
2025-02-08-21:10:23_11001b_qwen7b .merge b76f1f41a6cccae8b0b09415ac4e87f449ebd20e
2025-02-08-23:25:34_92a4ee_qwen3b .merge 6685f8e5a39a0956c9abce9eb2e8256bc90e4b42
2025-02-09-01:51:50_04a211_qwen1.5b .merge e04b668dd991a39cf148ba412d7c0b05fb353559
2025-02-09-03:47:30_f11492_qwen0.5b .merge 598b27b40e07d02ca6db776538a4e77880c25cca
2025-02-09-05:31:28_6af98f_hammer3b .merge 086a4571538a759ad33b7c9b064d41135dda3c73
2025-02-09-06:00:20_1383aa_hammer1.5b .merge 481dd8b60bee6fb6555c345d798536ef9bae1241
2025-02-09-06:42:23_9c7128_hammer0.5b .merge c21583ee87fbc995c003b88a7ece7eb66afab5e5
2025-02-09-07:11:12_5510dd_toolace .merge b4eba5b920c25e9242b2a183c23a3a38faea254e
2025-02-09-08:35:21_b546c2_llama8b .merge 6c7099bb4195f04aa3e7b8e64e7f44b7e2a7f19f
2025-02-09-08:37:10_d37e60_llama70b .merge 0b73f433b39fa3f4b171b4f68b80f8592c3cd005
2025-02-09-09:51:53_fa14c8_chatglm .merge f402c8771700a3349b1555f5dac3b9ab75e7b0b6
2025-02-09-12:02:52_8ad4eb_llama3b .merge c4a690fd8649f0424756f054e442bd3e0ab5168a
2025-02-09-12:30:13_bba28c_qwen32b .merge 4812158c9f9642f7a5e5e50b77325c1599952877
2025-02-09-13:20:50_458863_llama1b .merge 177883d2a353983d3905fa66900bfa8542052cc3
2025-02-09-15:15:38_a59290_xlam .merge 6c5acf516159f6ef7fbebbb9eb684cdfed752922
2025-02-09-15:52:29_0da916_gorilla .merge ea72503a6181535ce90fc6fc5e250de43c01e9b0
2025-02-09-18:05:41_f3b9c8_qwen14b .merge 14b36343376937abd167bb9419046ec34c9327a0
2025-02-11-10:28:34_61612c_deepseekr1 - cb72120708bd61bd1e29eea7ed4436d7d2e144f7
2025-02-11-11:40:35_4e7517_doubao - 85a0a6a149cf3efe2312fabca4877a37ab21826a
2025-02-11-11:45:51_a5be8b_gpt4o1 - 47fec171e418f1711c237dfb5635ce1b53788caf
2025-02-11-11:49:57_b6a245_deepseekv3 - 2f4779566ce0ebf3dc4c4e85af6f59f187395807
2025-02-11-14:40:24_5ef3f9_gpt4o1120 - 1230603c4da6318fb71c69713ffdfee396b86142
2025-02-11-16:12:21_f10928_watt70b - 0e0b2d853f11a779c4f8ddffe80f062c7fec2888
2025-02-11-16:56:28_5be128_mistral - 834d6fdbac41206a0e16b0c697ea4ee425d0540e
2025-02-11-19:49:28_409c4d_gemini - d4997f06d5daf57f3034d2468037901b97646de0
"""


def _rollouts() -> tuple[RemoteFile, ...]:
    lines = (line.split() for line in _ROLLOUTS.strip().splitlines())
    return tuple(
        RemoteFile(f"mmtb/bench_test/result/{stem}_en_remove_role_contain_context.jsonl{end.strip('-')}", blob)
        for stem, end, blob in lines
    )


WILDTOOLBENCH = DataSource(
    "wildtoolbench",
    "WildToolBench: 256 sessions of 4 tasks, English and Chinese (the result files of its 57 models are not public)",
    *_WILDTOOLBENCH,
    (RemoteFile("wild-tool-bench/data/Wild-Tool-Bench.jsonl", "e91dd1c50a2a9ee8661a8564e11cbd6cd61f795a"),),
)
MMTB = DataSource(
    "mmtb",
    "Multi-Mission Tool Bench: 256 sessions of 4 tasks, English and Chinese",
    *_MMTB,
    (RemoteFile("mmtb/bench_test/data/Multi-Mission-Tool-Bench.jsonl", "4b62137b56c1b6cd3c0a4a10ad723b724f8c825e"),),
)
MMTB_ROLLOUTS = DataSource("mmtb-rollouts", "the MMTB authors' predictions of 28 models", *_MMTB, _rollouts())
