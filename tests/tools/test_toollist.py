"""Tool lists: their files, YAML, `toolgauge tools ...`, and the embedded library."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner, Result

from build_tools import TARGET, compiled
from tests.rows import rows
from toolgauge.chat import Tool, ToolFacts, ToolHints
from toolgauge.cli.tools import app
from toolgauge.data.valid_schemas import native_schema
from toolgauge.errors import DataError, UsageError
from toolgauge.logs.definitions import read_definitions
from toolgauge.models.schemas import openapi_schema
from toolgauge.tools.checking import check_tools
from toolgauge.tools.documents import parse_json, parse_yaml, read_document
from toolgauge.tools.toollist import ToolList, library_file, read_tool_lists, tool_library, write_tool_lists

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def definition(name: str, parameters: Any = SCHEMA) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": "d", "parameters": parameters}}


def put(folder: Path, text: str) -> Path:
    file = folder / "my tools.jsonl"
    file.write_text(text, encoding="utf-8")
    return file


LISTS = [[definition("a"), definition("b")], [definition("c")]]


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, LISTS)),
        "\n\n".join(json.dumps({"tools": one}) for one in LISTS),
        json.dumps(LISTS),
        json.dumps(LISTS, indent=2),
        json.dumps([{"tools": one} for one in LISTS], indent=2),
    ],
)
def test_layouts_of_files(text: str, tmp_path: Path) -> None:
    first, second = read_tool_lists(put(tmp_path, text))
    assert (first.id, second.id) == ("my_tools_0", "my_tools_1")
    assert [tool.name for tool in first.tools] == ["a", "b"]
    assert second.tools == (Tool("c", "d", SCHEMA),)


@pytest.mark.parametrize(
    "given",
    [
        {"name": "a", "description": "d", "parameters": SCHEMA},
        {"type": "function", "name": "a", "description": "d", "parameters": SCHEMA, "strict": True},
        {"name": "a", "description": "d", "input_schema": SCHEMA},
        {"name": "a", "title": "A", "description": "d", "inputSchema": SCHEMA},
    ],
)
def test_layouts_of_definitions(given: dict[str, Any], tmp_path: Path) -> None:
    (one,) = read_tool_lists(put(tmp_path, json.dumps([given])))
    assert one.tools == (Tool("a", "d", SCHEMA),)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    lists = [
        ToolList("trips", (Tool("订票", "买一张票", SCHEMA),), "Trips", "travel", "rail", "zh"),
        ToolList("known", (Tool("z", "d", SCHEMA, ToolFacts({"type": "object"}, ToolHints(False, True), True)),)),
        ToolList("bare", (Tool("x", "", {"type": "object", "properties": {}}), Tool("y", "d", SCHEMA))),
    ]
    file = tmp_path / "out.jsonl"
    write_tool_lists(file, lists)
    assert set(json.loads(file.read_text(encoding="utf-8").splitlines()[2])) == {"id", "tools"}
    assert [(one.id, one.name, one.category, one.subcategory, one.language) for one in read_tool_lists(file)] == [
        ("trips", "Trips", "travel", "rail", "zh"),
        ("known", "", "", "", ""),
        ("bare", "", "", "", ""),
    ]
    assert [one.tools for one in read_tool_lists(file)] == [one.tools for one in lists]
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no tool list in this file"),
        ("[]", ":1: tools: must not be empty"),
        ("7", ":1: a tool list must be an array or an object with `tools`, not an integer"),
        ('[{"function": {}}]', r":1: tools\[0\].function.name: missing"),
        ('[{"name": "a", "parameters": []}]', r":1: tools\[0\].function.parameters: must be an object"),
        ('[{"name": "a", "description": {"x": 1}}]', r":1: tools\[0\].function.description: must be a string"),
        ('[{"name": "a"}]\n{oops', ":2: invalid JSON"),
        ('[\n{"name": "a"},\n{"name": oops}\n]', ":3: invalid JSON"),
        ('{"id": "x", "tools": [{"name": "a"}]}\n' * 2, ":2: id: duplicate id 'x', also in line 1"),
        ('{"id": [], "tools": [{"name": "a"}]}', ":1: id: must be a string"),
        ("[" * 100_000, ":1: nested deeper"),
    ],
)
def test_errors_say_where(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=complaint) as caught:
        read_tool_lists(put(tmp_path, text))
    assert "\n" not in str(caught.value)


FIND = {
    "name": "find",
    "description": "Find shops.",
    "parameters": {
        "type": "object",
        "$defs": {
            "Query": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
            "Level": {"enum": ["1", "2", "3"]},
        },
        "properties": {"query": {"$ref": "#/$defs/Query", "description": "What."}, "level": {"$ref": "#/$defs/Level"}},
        "required": ["query"],
    },
}
"""As pydantic writes it."""


def test_references_are_followed_wherever_tools_come_in(tmp_path: Path) -> None:
    file = tmp_path / "tools.jsonl"
    file.write_bytes(msgspec.json.encode([FIND]) + b"\n")
    (read,) = read_tool_lists(file)[0].tools
    (logged,) = read_definitions([FIND])
    query = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "description": "What."}
    expected = {"query": query, "level": {"enum": ["1", "2", "3"]}}
    for parameters in (read.parameters, logged.parameters, native_schema(FIND["parameters"])):
        assert parameters["properties"] == expected
        assert "$defs" not in parameters
    sent = openapi_schema(read.parameters)["properties"]
    assert isinstance(sent, dict)
    assert sent["query"]["type"] == "object"
    assert sent["level"] == {"type": "string", "enum": ["1", "2", "3"]}


@pytest.fixture(scope="module", params=["en", "zh"])
def lists(request: pytest.FixtureRequest) -> tuple[ToolList, ...]:
    return tool_library(request.param)


def test_the_package_s_files_are_what_the_written_lists_compile_to() -> None:
    """Compiling also runs every check of the build script."""
    made = compiled()
    assert {name: (TARGET / name).read_text(encoding="utf-8") for name in made} == made
    there = {*(TARGET / "tools/library").iterdir()}
    assert there == {TARGET / name for name in made}
    assert sum(len(text.encode()) for text in made.values()) < 2_000_000


@pytest.mark.parametrize("language", ["en", "zh"])
def test_tools_check_finds_nothing(language: str) -> None:
    assert [str(finding) for finding in check_tools(library_file(language))] == []


SPEC = Path(__file__).parent.parent / "fixtures" / "openapi_library.yaml"


@pytest.fixture(autouse=True)
def wide_english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("TOOLGAUGE_LANG", "en")


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


def test_import_list_show_check(tmp_path: Path) -> None:
    out = tmp_path / "library.jsonl"
    done = run("import", "openapi", SPEC, "--out", out)
    assert (done.exit_code, done.stdout) == (0, "")
    assert "library.jsonl (lists: 2, tools: 8)" in done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["library.jsonl"]
    listed = run("list", out).output
    assert "town-library-books-1" in listed
    assert "lists: 2, tools: 8" in listed
    shown = run("show", out, "town-library-books-1").output
    assert "id* (integer)  Number of the book." in shown
    assert "shelf* (A | B | on | None)  Where it goes." in shown
    assert "page (integer, default 1)  Which page." in shown
    assert "getBook (read-only): One book." in shown
    assert "    result: object\n      title* (string)" in shown
    assert "get_loans" not in shown
    assert "get_loans" in run("show", out).output
    checked = run("check", out)
    assert (checked.exit_code, checked.stderr) == (0, "")
    one = tmp_path / "one.jsonl"
    one.write_text('[{"name": "one", "description": "Does it."}]\n')
    assert (run("check", one).exit_code, run("check", "--strict", one).exit_code) == (0, 1)


def test_filters_and_standard_output(tmp_path: Path) -> None:
    done = run("import", "openapi", SPEC, "--tag", "books", "--method", "get", "--exclude", "search*")
    (line,) = done.stdout.splitlines()
    assert [tool["function"]["name"] for tool in json.loads(line)["tools"]] == ["getBook"]
    done = run("import", "openapi", SPEC, "--path", "/loans", "--include", "b*", "--limit", 1)
    assert [tool["function"]["name"] for tool in json.loads(done.stdout)["tools"]] == ["borrow"]


def test_wrong_usage(tmp_path: Path) -> None:
    for arguments, kind in (
        (("import", "openapi", tmp_path / "absent.yaml"), DataError),
        (("import", "openapi", SPEC, "--method", "steal"), UsageError),
        (("import", "mcp"), UsageError),
        (("import", "mcp", "--url", "http://127.0.0.1:9", "--env", "HOME"), UsageError),
        (("import", "mcp", "--token-env", "HOME", "--", "x"), UsageError),
        (("check", tmp_path / "absent.jsonl"), DataError),
        (("show", SPEC), DataError),
    ):
        error = run(*arguments).exception
        assert isinstance(error, kind)
        assert error.exit_code == 2
    file = tmp_path / "t.jsonl"
    file.write_text('[{"name": "a"}]')
    assert isinstance(run("show", file, "b").exception, UsageError)


def read_yaml(text: str) -> object:
    return parse_yaml(text.encode(), "f.yaml")


@rows(
    ("text", "value"),
    [
        ("on", "on"),
        ("no", "no"),
        ("2024-01-01", "2024-01-01"),
        ("1:30", "1:30"),
        ("true", True),
        ("~", None),
        ("0x1F", 31),
        ("-12", -12),
        ("010", 10),
        ("1_000", "1_000"),
        ("1.5e3", 1500.0),
        (".inf", ".inf"),
        ("1e999", "1e999"),
        ("'12'", "12"),
        ("|\n  a\n  b\n", "a\nb\n"),
        ("{200: ok, null: a, true: b, 1.5: c}", {"200": "ok", "null": "a", "true": "b", "1.5": "c"}),
        ("{a: &x {k: 1}, b: {<<: *x, k: 2}, c: {<<: [*x]}}", {"a": {"k": 1}, "b": {"k": 2}, "c": {"k": 1}}),
        ("a: !!python/object/apply:os.system ['touch owned']", {"a": ["touch owned"]}),
        ("--- 7", 7),
    ],
)  # fmt: skip
def test_values(text: str, value: object) -> None:
    found = read_yaml(text)
    assert found == value
    assert type(found) is type(value)


NINES = "[" + ",".join(["*{0}"] * 9) + "]"
PAIRS = list(pairwise("abcdefghijkl"))
BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(f"{new}: &{new} {NINES.format(old)}\n" for old, new in PAIRS)
MERGES = "a: &a {x: 1}\n" + "".join(f"{new}: &{new} {{<<: {NINES.format(old)}, {new}: 1}}\n" for old, new in PAIRS)


@rows(
    ("text", "complaint"),
    [
        (BOMB, "more than 5,000,000 values"),
        (MERGES, "more than 5,000,000 values"),
        ("&a [*a]", r"1: unknown or recursive alias \*a"),
        ("*a", r"alias|undefined"),
        ("- " * 100_000, "nested deeper than 200"),
        ("? " * 100_000, "nested deeper than 200"),
        ("{a: " * 5_000, "nested deeper than 200"),
        ("a: 1\nb: [", "3?: neither JSON nor YAML"),
        ("--- 1\n--- 2", "2: several YAML documents"),
        ("? [a]\n: b", "a key must be a string"),
        ("\x00", "neither JSON nor YAML"),
    ],
)
def test_bombs_and_nonsense(text: str, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint):
        read_yaml(text)


def test_files(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert read_document(file) == {"a": 1}
    file.write_bytes(b'{"a": 1,\n"b": oops}')
    with pytest.raises(DataError, match=r"a\.json:2: invalid JSON"):
        read_document(file)
    file.write_bytes(b"a: \xff")
    with pytest.raises(DataError, match=r"a\.json:1: not UTF-8"):
        read_document(file)
    with pytest.raises(DataError, match="cannot read"):
        read_document(tmp_path)
    with pytest.raises(DataError, match="nested deeper than 200"):
        parse_json(b"[" * 300 + b"]" * 300, "f")
