"""What tells runs of one model apart: the settings, options and scorings in which they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from toolgauge.analysis.numbers import Metrics
from toolgauge.benchmarks.manifest import Manifest


class AskedAndScored(Protocol):
    """A run that was scored."""

    @property
    def manifest(self) -> Manifest: ...

    @property
    def metrics(self) -> Metrics: ...


def settings_of(manifest: Manifest) -> dict[str, str]:
    """What a run was asked for, by names that run.json has."""
    found: dict[str, object] = {
        "toolgauge": manifest.toolgauge,
        "model": manifest.measured.name,
        "dialect": manifest.measured.more.get("dialect"),
        "data": f"{manifest.data.name} {manifest.data.sha256[:12]}",
        "variant": manifest.variant.name if manifest.variant else "",
        **manifest.more,
        "epochs": manifest.epochs,
        **dict(sorted(manifest.drawing.items())),
    }
    drawn = manifest.drawing
    return {name: str(value) for name, value in found.items() if name in drawn or value}


def asked_of(run: AskedAndScored) -> dict[str, str]:
    """What a run of a model was asked for and how it was scored, by names that its files have."""
    found = settings_of(run.manifest)
    scorings = {"scorings": ", ".join(run.metrics.scorings)}
    return {name: text for name, text in found.items() if name != "model"} | scorings


def differences(own: Mapping[str, str], others: Iterable[Mapping[str, str]]) -> list[str]:
    """What one of them has otherwise than another one: "dialect hermes"."""
    listed = list(others)
    return [f"{name} {text}" for name, text in own.items() if any(one.get(name) != text for one in listed)]
