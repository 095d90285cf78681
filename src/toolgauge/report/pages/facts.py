"""What was run, in words: the facts that a reader needs to repeat the run, or to doubt it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec
from msgspec import UNSET, to_builtins

from toolgauge.artefacts import written
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.locale import _, translated
from toolgauge.runs.scored import ScoredRun
from toolgauge.visible import tell_unseen

LONGEST = 300
"""Characters of a fact that are shown."""
FACTS = {
    "started": _("started (UTC)"),
    "model": _("model"),
    "provider": _("provider"),
    "decoding": _("form of calls"),
    "user_model": _("simulated user"),
    "package": _("benchmark package"),
    "dataset": _("data"),
    "sha256": _("sha256 of the data"),
    "corrections": _("corrections of the data"),
    "variant": _("variant of the tool lists"),
    "history": _("history"),
    "style": _("style of asking"),
    "max_turns": _("turns at most"),
    "epochs": _("epochs"),
    "sampling": _("sampling"),
    "selection": _("selection"),
    "probe": _("test question"),
    "interface": _("calls"),
    "server": _("server"),
    "toolgauge": _("toolgauge"),
    "tables": _("version of the tables"),
}
"""What has a heading of its own."""
_OF_MODEL = frozenset({"name", "base_url", "sha256"})
"""What a model says of itself that is shown elsewhere, or not at all: the address of an endpoint may be private."""

_OF_PROBE = ("finding", "prompt_tokens", "tokens_per_second", "readers", "left")
"""What of a probe is shown."""


OUTCOMES = frozenset({"started", "probe", "interface", "tables"})
"""What nobody chose: it came of the run, or of the program."""


class SetupFact(NamedTuple):
    """heading: in words; value: as the manifest has it; code: it is a name or a setting; chosen: somebody set it."""

    heading: str
    value: str
    code: bool = False
    chosen: bool = True


def facts_of(run: ScoredRun, language: str) -> list[SetupFact]:
    """The facts of a run's manifest, and the version of its tables; what it does not say is left out."""
    calls = ""
    if found := run.manifest.interface:
        said = _(
            "{replies:,} replies; with a call as the model wrote it: {written:,}, as the server parsed it: {parsed:,}; "
            "calls executed: {executed:,}; left by the server: {left:,}",
            replies=found.replies,
            written=found.written,
            parsed=found.parsed,
            executed=found.executed,
            left=sum(found.left.values()),
        )
        calls = translated(said, language)
    every = (*_facts(run.manifest), ("interface", calls, False), ("tables", _text(run.metrics.version), False))
    return [
        SetupFact(
            translated(FACTS.get(key) or key.replace("_", " "), language),
            tell_unseen(value[:LONGEST]),
            code,
            key not in OUTCOMES,
        )
        for key, value, code in every
        if value
    ]


def _facts(manifest: Manifest) -> Iterator[tuple[str, str, bool]]:
    model, probe = manifest.measured, to_builtins(manifest.probe) if manifest.probe else {}
    described = {name: value for name, value in written(model).items() if name not in _OF_MODEL}
    if model.model == model.name:
        described.pop("model", None)
    chosen = written(manifest.selection) if manifest.selection else {}
    yield "started", (manifest.started or "").replace("T", " ").removesuffix("Z"), False
    yield "model", model.name, True
    yield "provider", _settings(described), True
    yield "decoding", _text(manifest.decoding), True
    yield "server", _settings(to_builtins(manifest.server) if manifest.server else {}), True
    for role, record in manifest.roles.items():
        settings = _settings(to_builtins(manifest.role_settings(role)))
        yield "user_model" if role == "user" else role, f"{record.name} {settings}".strip(), True
    yield "dataset", manifest.data.name, False
    yield "sha256", manifest.data.sha256[:16], True
    if manifest.corrections:
        yield "corrections", f"{manifest.corrections.count:,} ({manifest.corrections.sha256[:16]})", True
    if manifest.variant:
        yield "variant", f"{manifest.variant.name} ({manifest.variant.sha256[:16]})", True
    for key, value in manifest.more.items():
        yield key, _text(value), False
    yield "epochs", _text(manifest.epochs), False
    yield "sampling", _settings(manifest.drawing), True
    yield "selection", _settings({name: value for name, value in chosen.items() if value}), True
    yield "probe", _settings({name: value for name, value in probe.items() if name in _OF_PROBE}), True
    yield "package", manifest.package.told if manifest.package else "", False
    yield "toolgauge", _text(manifest.toolgauge), False


def _settings(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name}={_text(value)}" for name, value in values.items() if value is not None)


def _text(value: object) -> str:
    if value is UNSET:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
