"""A summary in GitHub's Markdown, for a pull request: rates of runs side by side, losses, versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from toolgauge.analysis.error_analysis import Loss
from toolgauge.analysis.error_analysis.words import mistake_title, place_title
from toolgauge.analysis.numbers import Rate
from toolgauge.analysis.reports import find_losses
from toolgauge.analysis.sections import sections
from toolgauge.benchmarks.manifest import Manifest
from toolgauge.benchmarks.registry import reason_texts
from toolgauge.reasons import ReasonTexts
from toolgauge.report.exports.escaping import code, plain
from toolgauge.report.exports.export_request import ExportRequest
from toolgauge.report.exports.words import say
from toolgauge.report.page import RunEntry, board_heading

TOP = 3
NOTHING = "–"
SETTINGS = ("toolgauge", "history", "style", "max_turns", "epochs")
"""What of a manifest is named as it is."""


def markdown(wanted: ExportRequest) -> Iterator[str]:
    """The lines; a section per board (benchmark and language of the data)."""
    ordered = sorted(wanted.entries, key=lambda entry: entry.board)
    for number, (board, group) in enumerate(groupby(ordered, key=lambda entry: entry.board)):
        entries = list(group)
        if number:
            yield ""
        reading = wanted.reading_of(entries[0])
        yield f"## {board_heading(board, wanted.language)} · {say('reading', wanted.language)} {code(reading)}"
        yield from _rates(wanted, entries)
        yield from _losses(wanted, entries)
        yield from _versions(wanted, entries)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _rates(wanted: ExportRequest, entries: Sequence[RunEntry]) -> Iterator[str]:
    language = wanted.language
    yield ""
    yield say("rates", language)
    yield ""
    yield _row(["", *(code(entry.label, 80, in_table=True) for entry in entries)])
    yield _row(["---", *("---:" for _ in entries)])
    headings: dict[tuple[str, str], str] = {}
    for entry in entries:
        if wanted.tables(entry):
            first = sections(entry.run.metrics, wanted.reading_of(entry), language)[0]
            headings.update({(table, row): heading for table, row, heading in first.rows})
    for (table, row), heading in headings.items():
        cells = [_rate(wanted.tables(entry).get(table, {}).get(row)) for entry in entries]
        yield _row([plain(heading.removeprefix("· ")), *cells])
    counts = [entry.run.metrics for entry in entries]
    scored = [say("of", language, scored=one.scored, requested=one.requested) for one in counts]
    yield _row([say("tasks", language), *scored])
    if any(one.missing for one in counts):
        yield _row([say("missing", language), *(f"**{one.missing:,}**" if one.missing else "0" for one in counts)])


def _rate(entry: Rate | None) -> str:
    if entry is None or entry.value is None:
        return NOTHING
    value = f"{100 * entry.value:.1f}%"
    if entry.ci95 is None:
        return value
    low, high = entry.ci95
    return f"{value} [{100 * low:.1f} – {100 * high:.1f}]"


def _losses(wanted: ExportRequest, entries: Sequence[RunEntry]) -> Iterator[str]:
    yield ""
    yield f"### {say('losses', wanted.language)}"
    for entry in entries:
        dataset: Any = entry.run.dataset
        found = find_losses(entry.run.benchmark, dataset, entry.run.scores, wanted.reading_of(entry))
        texts = reason_texts(entry.run.benchmark, wanted.language)
        yield ""
        if found.losses:
            yield f"{code(entry.label, 80)}"
            yield ""
            yield from (f"{n}. {_loss(loss, wanted.language, texts)}" for n, loss in enumerate(found.losses[:TOP], 1))
        else:
            yield f"{code(entry.label, 80)}: {say('perfect' if found.scored else 'unscored', wanted.language)}"


def _loss(loss: Loss, language: str, texts: ReasonTexts) -> str:
    low, high = loss.ci95 or (float("nan"), float("nan"))
    name, points = plain(mistake_title(loss.mistake, language)), f"{loss.points:.1f}"
    parts = [say("loss", language, name=name, points=points, low=f"{low:.1f}", high=f"{high:.1f}", tasks=loss.tasks)]
    stop, between = ("；", "、") if language == "zh" else ("; ", ", ")
    places = [
        say(
            "place",
            language,
            place=plain(place_title(place.dimension, place.name, language)),
            rate=f"{100 * place.rate:.1f}",
            elsewhere=f"{100 * place.elsewhere_rate:.1f}",
        )
        for place in loss.concentrates
    ]
    if places:
        parts.append(say("where", language, places=between.join(places)))
    if loss.pattern:
        parts.append(say("usual", language, text=code(loss.pattern.in_words(texts))))
    return stop.join(parts)


def _versions(wanted: ExportRequest, entries: Sequence[RunEntry]) -> Iterator[str]:
    yield ""
    yield f"### {say('versions', wanted.language)}"
    yield ""
    settings = [_settings(entry.run.manifest) for entry in entries]
    for entry, own in zip(entries, settings, strict=True):
        yield f"- {code(entry.label, 80)}: {', '.join(f'{name} {code(text, 100)}' for name, text in own.items())}"
    alike = [{name: text for name, text in own.items() if name not in ("toolgauge", "model")} for own in settings]
    if any(own != alike[0] for own in alike):
        yield ""
        yield say("not_comparable", wanted.language)


def _settings(manifest: Manifest) -> dict[str, str]:
    own = {"toolgauge": "", "model": manifest.measured.name}
    own["data"] = f"{manifest.data.name} {manifest.data.sha256[:12]}"
    own.update({name: str(getattr(manifest, name) or "") for name in SETTINGS})
    own.update({name: str(value) for name, value in sorted(manifest.drawing.items())})
    return {name: text for name, text in own.items() if text}
