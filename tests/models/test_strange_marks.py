"""Marks and quotation marks that families write other than their own formats say; what else they write is in
dialect_examples.py."""

from __future__ import annotations

import json

from tests.rows import rows
from toolgauge.chat import Tool
from toolgauge.models.dialects.table import find_dialect

SAIL = Tool("sail", "Sail", {"type": "object", "properties": {"to": {"type": "string"}, "with": {"type": "array"}}})


@rows("mark", ["｜DSML｜", "｜｜DSML｜｜", "｜｜DSML｜｜ ", "‖DSML‖", "|DSML|"])
@rows("section", ["tool_calls", "toolcalls"])
def test_deepseeks_mark_between_other_bars(mark: str, section: str) -> None:
    text = (
        f'<{mark}{section}>\n<{mark}invoke name="sail">\n'
        f'<{mark}parameter name="to" string="true">Bergen</{mark}parameter>\n'
        f"</{mark}invoke>\n</{mark}{section}>"
    )
    parsed = find_dialect("deepseek-v4").parse(text, (SAIL,))
    assert [(call.name, json.loads(call.arguments)) for call in parsed.calls] == [("sail", {"to": "Bergen"})]
    assert (parsed.content, parsed.problem) == (None, None)


@rows(
    ("written", "arguments"),
    [
        ("with:['Ana']", {"with": ["Ana"]}),
        ('with:["Ana"]', {"with": ["Ana"]}),
        ("with:[{'crew': 'two'}]", {"with": [{"crew": "two"}]}),
        ("to:'Bergen'", {"to": "Bergen"}),
        ('to:<|"|>Ana\'s<|"|>', {"to": "Ana's"}),
    ],
)
def test_gemma4_quotes_like_python_or_json(written: str, arguments: dict[str, object]) -> None:
    parsed = find_dialect("gemma4").parse(f"<|tool_call>call:sail{{{written}}}<tool_call|>", (SAIL,))
    assert [json.loads(call.arguments) for call in parsed.calls] == [arguments]
    assert (parsed.content, parsed.problem) == (None, None)
