"""What was run, in words: the facts of a manifest that a reader needs to repeat the run, or to doubt it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from toolgauge.chat import Json
from toolgauge.report.wording import words

LONGEST = 300
"""Characters of a fact that are shown."""
_OF_MODEL = frozenset({"name", "base_url", "sha256"})
"""What a model says of itself that is shown elsewhere, or not at all: the address of an endpoint may be private."""


class SetupFact(NamedTuple):
    """heading: in words; value: as the manifest has it; code: it is a name or a setting."""

    heading: str
    value: str
    code: bool = False


def facts_of(manifest: Json, language: str) -> list[SetupFact]:
    """The facts of a manifest; what it does not say is left out."""
    texts = words(("run",), language)
    return [SetupFact(texts[f"fact_{key}"], value[:LONGEST], code) for key, value, code in _facts(manifest) if value]


def _facts(manifest: Json) -> Iterator[tuple[str, str, bool]]:
    model, dataset = (_object(manifest.get(key)) for key in ("model", "dataset"))
    yield "model", str(model.get("name") or ""), True
    described = {key: value for key, value in model.items() if key not in _OF_MODEL and value is not None}
    if described.get("model") == model.get("name"):
        described.pop("model", None)
    yield "provider", _settings(described), True
    yield "user_model", str(_object(manifest.get("user_model")).get("name") or ""), True
    yield "dataset", str(dataset.get("name") or ""), False
    yield "sha256", str(dataset.get("sha256") or "")[:16], True
    for key in ("history", "style", "max_turns", "epochs"):
        yield key, _text(manifest.get(key)), False
    yield "sampling", _settings(_object(manifest.get("sampling"))), True
    selection = _object(manifest.get("selection"))
    yield "selection", _settings({key: value for key, value in selection.items() if value}), True
    yield "toolgauge", _text(manifest.get("toolgauge")), False


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _settings(values: Json) -> str:
    return ", ".join(f"{name}={_text(value)}" for name, value in values.items())


def _text(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
