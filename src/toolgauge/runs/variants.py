"""Runs on changed tool lists: variant.json in the run directory is the `ToolVariant`, run.json names it by its sha256.

A variant is part of what was asked: it is applied whenever the data of the run are read, and stays as it is.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec
from msgspec.structs import replace

from toolgauge.benchmarks.benchmark import Benchmark, Data, HasToolLists
from toolgauge.benchmarks.manifest import Manifest, VariantRecord
from toolgauge.benchmarks.registry import blamed_on
from toolgauge.chat import Tool
from toolgauge.errors import DataError, UsageError, os_cause
from toolgauge.files import check_targets, read_own
from toolgauge.tools.toollist import read_list
from toolgauge.tools.variants import ToolVariant

VARIANT = "variant.json"


def encode_variant(variant: ToolVariant) -> bytes:
    """The bytes of variant.json, the same for the same variant."""
    return msgspec.json.encode(variant) + b"\n"


def varied_data(benchmark: Benchmark, data: Data, variant: ToolVariant | None) -> Data:
    """The data set with the tool lists of a variant; itself without one. Raises UsageError where the benchmark has
    no tool lists that could be varied."""
    if variant is None:
        return data
    require_tool_lists(benchmark)
    assert isinstance(benchmark, HasToolLists)
    with blamed_on(benchmark):
        found: Data = benchmark.varied(data, variant)
    return found


def require_tool_lists(benchmark: Benchmark) -> None:
    """Raise UsageError where a benchmark has no tool lists that could be varied."""
    if not isinstance(benchmark, HasToolLists):
        raise UsageError(f"{benchmark.name}: tool lists can be varied for dialogue benchmarks only")


def kept_variant(folder: Path, manifest: Manifest) -> ToolVariant | None:
    """The variant in a run directory, None where its run has none.

    Raises UsageError where it is missing, or not the one that run.json names.
    """
    if not manifest.variant:
        return None
    check_targets(folder, (VARIANT,))
    path, found = folder / VARIANT, ToolVariant("")
    try:
        content = read_own(path)
        why = None if hashlib.sha256(content).hexdigest() == manifest.variant.sha256 else "another sha256"
        if why is None:
            found = _valid(msgspec.json.decode(content, type=ToolVariant), path)
    except DataError as error:
        why = error.message
    except OSError as error:
        why = os_cause(error)
    except (ValueError, RecursionError) as error:
        why = str(error)
    if why is not None:
        raise UsageError(f"{path}: not the variant of the tool lists that {folder} was run with ({why}); restore it")
    return found


def _valid(variant: ToolVariant, path: Path) -> ToolVariant:
    """The variant with its definitions read like any others; raises DataError where one cannot be used."""

    def read(tools: tuple[Tool, ...]) -> tuple[Tool, ...]:
        return read_list(path, 1, [tool.filed() for tool in tools], "").tools if tools else ()

    return replace(variant, pool=read(variant.pool), edited=read(variant.edited))


def variant_record(variant: ToolVariant) -> VariantRecord:
    """What run.json says of a variant."""
    return VariantRecord(variant.name, hashlib.sha256(encode_variant(variant)).hexdigest())
