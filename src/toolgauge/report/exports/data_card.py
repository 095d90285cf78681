"""The card of a data set for Hugging Face's hub: README.md with a header in YAML, in English and in Chinese."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import NamedTuple, get_args, get_origin, get_type_hints

import yaml
from msgspec import Struct
from msgspec.structs import fields, replace

from toolgauge.locale import Text, _, translated
from toolgauge.report.exports.escaping import code
from toolgauge.report.exports.export_request import ExportRequest, Publication
from toolgauge.report.exports.hub_rows import CONFIGS
from toolgauge.report.exports.markdown import markdown
from toolgauge.report.page import LANGUAGES
from toolgauge.visible import visible

TEST = "test"
FREE, UNKNOWN = "apache-2.0", "unknown"
"""The licence of the embedded benchmark; of other data this package does not know any."""
TYPES: dict[object, str] = {str: "string", int: "int64", float: "float64", bool: "bool"}
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
ABOUT = {
    "tasks": _("a row per task: was it right in the scoring, and if not, which mistake and why"),
    "conversations": _(
        "a row per conversation: every message, call and result, the available tools, tokens and seconds"
    ),
    "rates": _("a row per rate of metrics.json in every scoring: value, 95 percent interval, counts"),
}


def data_file(config: str) -> str:
    return f"data/{config}.jsonl"


class PartSize(NamedTuple):
    """rows, and bytes of the file."""

    rows: int
    size: int


def data_card(wanted: ExportRequest, sizes: Mapping[str, PartSize]) -> Iterator[str]:
    """The lines. sizes: of each part."""
    yield from front_matter(_header(wanted, sizes))
    for language in LANGUAGES:
        yield ""
        yield from _words(replace(wanted, language=language))


def front_matter(values: dict[str, object]) -> Iterator[str]:
    yield "---"
    yield yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=120).rstrip("\n")
    yield "---"


def _header(wanted: ExportRequest, sizes: Mapping[str, PartSize]) -> dict[str, object]:
    models = sorted({entry.run.model for entry in wanted.entries})
    boards = ", ".join(sorted({entry.board for entry in wanted.entries}))
    return header(
        f"{boards}: {', '.join(models)}",
        sorted({entry.language for entry in wanted.entries}),
        FREE if _is_ours(wanted) else UNKNOWN,
        TEST,
        {name: (row, sizes[name]) for name, (row, _rows) in CONFIGS.items()},
    )


def header(
    name: str, languages: list[str], licence: str, split: str, parts: Mapping[str, tuple[type[Struct], PartSize]]
) -> dict[str, object]:
    """What stands in the card's header. parts: of each its rows' Struct, the first one is the default."""
    most = max(size.rows for _row, size in parts.values())
    return {
        "pretty_name": visible(name)[:200],
        "language": languages,
        "license": licence,
        "task_categories": ["text-generation"],
        "tags": ["tool-use", "function-calling", *(["evaluation"] if split == TEST else []), "toolgauge"],
        "size_categories": [next((name for limit, name in SIZES if most < limit), "n>1M")],
        "configs": [
            {
                "config_name": part,
                **({"default": True} if part == next(iter(parts)) else {}),
                "data_files": [{"split": split, "path": data_file(part)}],
            }
            for part in parts
        ],
        "dataset_info": [
            {
                "config_name": part,
                "features": features(row),
                "splits": [{"name": split, "num_examples": size.rows, "num_bytes": size.size}],
                "download_size": size.size,
                "dataset_size": size.size,
            }
            for part, (row, size) in parts.items()
        ],
    }


def _is_ours(wanted: ExportRequest) -> bool:
    return all(entry.run.benchmark.embedded and not entry.run.manifest.data_file for entry in wanted.entries)


def features(row: object) -> list[dict[str, object]]:
    """The columns of a Struct, as `datasets` declares them."""
    assert isinstance(row, type)
    assert issubclass(row, Struct)
    hints = get_type_hints(row)
    return [{"name": one.name, **_feature(hints[one.name])} for one in fields(row)]


def _feature(hint: object) -> dict[str, object]:
    if isinstance(hint, types.UnionType):
        (hint,) = (one for one in get_args(hint) if one is not types.NoneType)
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        return {"list": TYPES.get(item) or features(item)}
    return {"dtype": TYPES[hint]} if hint in TYPES else {"struct": features(hint)}


def _words(wanted: ExportRequest) -> Iterator[str]:
    def said(text: Text) -> str:
        return translated(text, wanted.language)

    heading = said(_("Runs of tool-use benchmarks"))
    yield f"# {heading}"
    yield ""
    yield said(
        _(
            "Made by toolgauge from the run directories of the models below: what they said, the verdict on every "
            "task, and the numbers that follow. `toolgauge score` computes these again from the conversations."
        )
    )
    yield ""
    for name in CONFIGS:
        yield f"- {code(name)}: {said(ABOUT[name])}"
    yield ""
    yield from loaded("tasks", TEST)
    if _is_ours(wanted):
        yield said(_("Licence: {licence}, that of the benchmark, which comes with toolgauge.", licence=FREE))
    else:
        yield said(
            _(
                "Licence: the conversations hold texts and tools of the benchmark's data, and replies of the models. "
                "Both have terms of their own: name the licence in the header before this is published."
            )
        )
    yield from (said(line) if isinstance(line, Text) else line for line in published_by(wanted.publication))
    yield ""
    yield from markdown(wanted)


def loaded(part: str, split: str) -> Iterator[str]:
    """How a part is loaded."""
    yield "```python"
    yield "from datasets import load_dataset"
    yield ""
    yield f'{part} = load_dataset("OWNER/NAME", "{part}", split="{split}")'
    yield "```"
    yield ""


def published_by(publication: Publication) -> Iterator[Text | str]:
    if publication.evidence or publication.publisher:
        yield ""
        yield _(
            "Published by: {publisher}. More about it: {evidence}",
            publisher=code(publication.publisher or "–"),
            evidence=code(publication.evidence or "–"),
        )
