"""The list of a run's tasks and the page on which each of them can be read; the data that both load."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from toolgauge.analysis.causes.examples import TaskDescriber
from toolgauge.analysis.glossary import MISTAKES, SCORINGS, scoring_name
from toolgauge.analysis.reports import describer_of
from toolgauge.analysis.titles import title
from toolgauge.benchmarks.registry import reason_texts
from toolgauge.data.session import KINDS, Reference, TaskType
from toolgauge.judge.mistakes import AGENT_ERROR, AGENT_WITHOUT_TOOLS, COUNTED_WRONG, UNCLASSIFIED
from toolgauge.judge.verdict import NOT_JUDGEABLE
from toolgauge.locale import _, translated
from toolgauge.report.display import display_of
from toolgauge.report.page import Page, RunEntry, Site, board_heading
from toolgauge.report.run_failures import FailureSearch
from toolgauge.report.site_folder import SiteFolder
from toolgauge.report.table_files import task_records, write_records
from toolgauge.report.task_views.data_writer import Material, RunWriter, material_key

_TYPES = {*KINDS, *(kind.value for kind in TaskType)}
_REFERENCES = {reference.value for reference in Reference}


INSTEAD = (COUNTED_WRONG, NOT_JUDGEABLE, UNCLASSIFIED, AGENT_ERROR, AGENT_WITHOUT_TOOLS)
"""What takes the place of a mistake."""
_LONE = re.compile("[\ud800-\udfff]")


def write_data(site: Site, folder: SiteFolder) -> None:
    """Write what the pages of all runs load (task_views/data_writer.py says what lies where), and the lists of tasks as
    CSV and JSON. The trajectories of a run are read once, also for `site.found`."""
    materials: dict[tuple[str, str, str], Material] = {}
    describers: dict[tuple[str, int], TaskDescriber | None] = {}
    for entry in site.entries:
        run = entry.run
        known = run.benchmark.name, id(run.dataset)
        if known not in describers:
            describers[known] = describer_of(run.benchmark, run.dataset)
        search = FailureSearch(run, describers[known])
        site.found[entry.slug] = search.found
        material = materials.setdefault(material_key(run), Material(len(materials)))
        index = RunWriter(entry, material, folder).write(search.watch(run.trajectories()))
        write_records(folder, f"{entry.slug}-tasks", list(task_records(index)))
    for material in materials.values():
        material.write(folder)


def task_link(entry: RunEntry, task_id: str, scoring: str | None = None) -> str:
    """The address of a task's page, seen from the language's root."""
    suffix = f"&scoring={_quoted(scoring)}" if scoring else ""
    return f"runs/{entry.slug}-task.html#{_quoted(task_id, safe='/')}{suffix}"


def tasks_link(entry: RunEntry, **filters: str | int) -> str:
    """The address of the list with filters set (as assets/filter.js reads them)."""
    hash_ = "&".join(f"{name}={_quoted(str(value))}" for name, value in filters.items())
    return f"runs/{entry.slug}-tasks.html" + (f"#{hash_}" if hash_ else "")


def _quoted(text: str, safe: str = "") -> str:
    """A text as a part of an address; a lone surrogate, which no address can hold, becomes U+FFFD (as in filter.js)."""
    return quote(_LONE.sub("\ufffd", text), safe=safe)


def pages(site: Site, language: str) -> Iterator[Page]:
    """Two pages a run: the list, and the one that shows whichever task its address names."""
    keys = {entry.slug: material_key(entry.run) for entry in site.entries}
    for entry in site.entries:
        config = _config(site, entry, language, keys)
        board = board_heading(entry.board, language)
        values = {
            "entry": entry,
            "config": config,
            "board_heading": board,
            "reasons": reason_texts(entry.run.benchmark, language),
            "tips": (*SCORINGS, *MISTAKES),
        }
        heading = f"{entry.label} · " + translated(_("all tasks"), language)
        yield Page(f"runs/{entry.slug}-tasks.html", "tasks.html", heading, values)
        heading = f"{entry.label} · " + translated(_("task"), language)
        yield Page(f"runs/{entry.slug}-task.html", "task.html", heading, values)


def _config(site: Site, entry: RunEntry, language: str, keys: Mapping[str, object]) -> dict[str, object]:
    """What the scripts know of the run without loading its data."""
    run, display = entry.run, display_of(entry.run.benchmark)
    own = display.explanations() if hasattr(display, "explanations") else {}
    others = [other for other in site.entries if keys[other.slug] == keys[entry.slug] and other is not entry]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys.values()))}  # as write_data counts them
    return {
        "slug": entry.slug,
        "label": entry.label,
        "kind": run.benchmark.report().layout.kind,
        "by_category": display.by_category,
        "language": {"zh": "zh-Hans"}.get(run.language, run.language),
        "scorings": [name for name in run.benchmark.scorings if name in run.metrics.scorings],
        "headline": run.benchmark.headline,
        "scoring_names": {name: scoring_name(name, language) for name in run.benchmark.scorings},
        "set": numbers[keys[entry.slug]],
        "others": [{"slug": other.slug, "label": other.label} for other in others],
        "titles": {name: title(name, language) for name in INSTEAD} | display.titles(language),
        "whys": {name: translated(text, language) for name, text in {**MISTAKES, **own}.items()},
        "classes": getattr(display, "paper_classes", {}),
    }


def row_link(entry: RunEntry, scoring: str, table: str, row: str) -> str | None:
    """The list of the tasks that a row counts (of a mistake: that made it); None where no filter chooses them."""
    chosen = filters_of(table, row)
    if chosen is None and (own := getattr(display_of(entry.run.benchmark), "filters", None)) is not None:
        chosen = own(table, row)
    return None if chosen is None else tasks_link(entry, scoring=scoring, **chosen)


def filters_of(table: str, row: str) -> dict[str, str] | None:
    """The filters of the list that choose the tasks of a row, in tables that several benchmarks have."""
    if table in ("layers", "layers_action"):
        kind, _, position = row.partition("@")
        chosen = {"type": kind, "position": position}
        return {name: value for name, value in chosen.items() if value != "all"}
    if table == "mistakes":
        return {"result": "failed", "mistake": row}
    if table == "by_order":
        return {"position": row}
    if table == "by_type" and row in _TYPES:
        return {"type": row}
    if table in ("references", "subtypes") and row in _REFERENCES:
        return {"position": "1"} if row == Reference.FIRST_TURN else {"reference": row}
    return None
