"""A seal on saved numbers, made with a key in the user's cache, tells the user's own from planted ones.

A run directory may be a stranger's, and a checksum in it can be made by anybody. Numbers that were saved are read back
only where the seal on them was made here, and where everything they follow from is as it was: the trajectories and the
other files of the run, the data, the rules. Else they are made anew, which is always right and only slower.
"""

from __future__ import annotations

import hmac
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from msgspec.structs import replace

from toolgauge.analysis.numbers import Metrics, encode_metrics
from toolgauge.benchmarks.benchmark import Benchmark, Data
from toolgauge.benchmarks.registry import OURS
from toolgauge.data.fetch import cache_folder
from toolgauge.data.lines import sha256_of
from toolgauge.errors import ToolgaugeError
from toolgauge.files import digest, make_folders, read_own, write_whole
from toolgauge.judge.verdict import RULES_VERSION
from toolgauge.runs.corrections import CORRECTIONS
from toolgauge.runs.manifest import MANIFEST
from toolgauge.runs.store import FAILURES
from toolgauge.runs.variants import VARIANT
from toolgauge.version import __version__, code_digest

SEAL = "seal"
KEY = "seal.key"
_SIZE = 32


def origin_of(folder: Path, benchmark: Benchmark, dataset: Data) -> dict[str, str]:
    """What the numbers of a run follow from beside its trajectories, by sha256, and the rules that made them.

    Raises StoreError where a file of the run cannot be read, or is a link.
    """
    beside = benchmark.files_beside(dataset) if hasattr(benchmark, "files_beside") else []
    found = {name: digest(folder / name) for name in (MANIFEST, FAILURES, CORRECTIONS, VARIANT)}
    files = {name: value for name, value in found.items() if value}
    tables = {"data_tables": sha256("".join(map(sha256_of, beside)).encode()).hexdigest()} if beside else {}
    made = {"toolgauge": __version__, "rules": str(RULES_VERSION), "code": code_digest()}
    return {**made, "data": dataset.sha256, **tables, **files}


def sealed(metrics: Metrics, benchmark: Benchmark) -> Metrics:
    """With a seal among its sources; without one where no key can be kept, or for a benchmark of another package,
    whose rules may change without a new version."""
    key = _key() if benchmark.name in OURS else None
    own = {name: found for name, found in (metrics.sources or {}).items() if name != SEAL}
    plain = replace(metrics, sources=own)
    if key is None:
        return plain
    return replace(plain, sources={**own, SEAL: hmac.digest(key, encode_metrics(plain), "sha256").hex()})


def is_sealed(metrics: Metrics, benchmark: Benchmark) -> bool:
    """Was its seal made here, of what it says now?"""
    there, due = ((found.sources or {}).get(SEAL, "") for found in (metrics, sealed(metrics, benchmark)))
    return bool(due) and hmac.compare_digest(there, due)


def _key() -> bytes | None:
    path = cache_folder() / KEY
    with suppress(OSError, ToolgaugeError):
        if not path.exists():
            make_folders(path.parent)
            write_whole(path, os.urandom(_SIZE), mode=0o600)
        key = read_own(path)
        return key if len(key) == _SIZE else None
    return None
