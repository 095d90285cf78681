"""Which dialogues a generation consists of, from what was asked for: the same slots in the same order every time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from toolgauge.data.session import KINDS
from toolgauge.errors import UsageError
from toolgauge.generation.manifest import Selection
from toolgauge.generation.paths import all_paths, next_slots, parse_paths, sample_paths, slots_of
from toolgauge.generation.resume import read_openings
from toolgauge.generation.scenarios import by_name, scenario_of
from toolgauge.generation.setup import Scenario, Slot

DEFAULT_TASKS = 4


class AskedDialogues(Struct, frozen=True):
    """What decides on the slots; see `GenerationOptions`."""

    language: str
    seed: int
    selection: Selection
    scenarios: tuple[Scenario, ...] = ()
    resume_from: Path | str | None = None
    layer: int | None = None


def slots_asked(asked: AskedDialogues) -> list[Slot]:
    """The slots in order. Raises UsageError for paths that make no sense, DataError for sessions to go on from."""
    selection, language = asked.selection, asked.language
    if asked.resume_from is not None:
        openings = read_openings(asked.resume_from, language, asked.layer)
        begun = [(one.id, one.kinds, one.record) for one in openings]
        made, by_id = next_slots(begun, _next_kinds(selection), language, selection.per_path), by_name(asked.scenarios)
        return [replace(slot, scenario=scenario_of(slot.opening or {}, by_id)) for slot in made]
    tasks = selection.tasks or DEFAULT_TASKS
    if selection.paths is not None:
        paths = parse_paths(selection.paths)
    elif selection.sample is not None:
        paths = sample_paths(tasks, selection.sample, asked.seed)
    else:
        paths = all_paths(tasks)
    return slots_of(paths, language, selection.per_path, asked.scenarios)


def _next_kinds(selection: Selection) -> Sequence[str]:
    """The kinds of the task that is added: those named, or all four."""
    if selection.paths is None:
        return KINDS
    paths = parse_paths(selection.paths)
    if any(len(path) > 1 for path in paths):
        raise UsageError('--paths: --resume-from adds one task; give only its types, e.g. "single; chat"')
    return [path[0] for path in paths]
