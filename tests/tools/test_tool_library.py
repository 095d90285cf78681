"""The embedded tool library: its size and variety, both languages of one shape, definitions that stand every check."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from build_tools import TARGET, compiled
from toolgauge.data.session import ASK, FINAL
from toolgauge.demo.templates import scripted_templates
from toolgauge.errors import UsageError
from toolgauge.tools.checking import check_tools
from toolgauge.tools.library import library_categories, library_file, tool_library
from toolgauge.tools.toollist import ToolList

CHINESE = re.compile(r"[\u4e00-\u9fff]")


@pytest.fixture(scope="module", params=["en", "zh"])
def lists(request: pytest.FixtureRequest) -> tuple[ToolList, ...]:
    return tool_library(request.param)


def schemas(schema: dict[str, Any], depth: int = 0) -> Iterator[tuple[int, dict[str, Any]]]:
    """Every property's schema below one, with its depth."""
    for part in schema.get("properties", {}).values():
        yield depth, part
        yield from schemas(part, depth + 1)
    if "items" in schema:
        yield depth + 1, schema["items"]
        yield from schemas(schema["items"], depth + 1)


def test_the_package_s_files_are_what_the_written_lists_compile_to() -> None:
    """Compiling also runs every check of the build script."""
    made = compiled()
    assert {name: (TARGET / name).read_text(encoding="utf-8") for name in made} == made
    there = {*(TARGET / "tools/library").iterdir(), *(TARGET / "demo").glob("templates.*.jsonl")}
    assert there == {TARGET / name for name in made}
    assert sum(len(text.encode()) for text in made.values()) < 2_000_000


def test_size(lists: tuple[ToolList, ...]) -> None:
    assert len(lists) >= 48
    assert len({one.id for one in lists}) == len(lists)
    assert len({one.category for one in lists}) == 8
    per_subcategory = Counter((one.category, one.subcategory) for one in lists)
    assert len(per_subcategory) == 24
    assert min(per_subcategory.values()) >= 2
    assert all(3 <= len(one.tools) <= 9 for one in lists)
    assert len({len(one.tools) for one in lists}) >= 3


def test_every_category_has_titles_in_both_languages(lists: tuple[ToolList, ...]) -> None:
    categories = library_categories()
    assert {(one.category, one.subcategory) for one in lists} == {
        (name, inner) for name, category in categories.items() for inner in category.subcategories
    }
    titles = [*categories.values(), *(t for category in categories.values() for t in category.subcategories.values())]
    assert all(CHINESE.search(title.zh) and title.en and not CHINESE.search(title.en) for title in titles)


def test_all_kinds_of_parameters_occur(lists: tuple[ToolList, ...]) -> None:
    found = [part for one in lists for tool in one.tools for part in schemas(tool.parameters)]
    types = Counter(part.get("type") for _, part in found if isinstance(part.get("type"), str))
    assert min(types[kind] for kind in ("string", "integer", "number", "boolean", "array", "object")) >= 15
    assert sum("enum" in part for _, part in found) >= 50
    assert sum("default" in part for _, part in found) >= 20
    assert sum("format" in part for _, part in found) >= 4
    assert sum(depth >= 2 for depth, _ in found) >= 10
    assert sum(part.get("type") == "array" and part["items"].get("type") == "object" for _, part in found) >= 5
    tools = [tool for one in lists for tool in one.tools]
    required = sum(len(tool.parameters["required"]) for tool in tools)
    assert required >= 200
    assert sum(len(tool.parameters["properties"]) for tool in tools) - required >= 60


def test_definitions_are_json_schema_and_fit_for_endpoints(lists: tuple[ToolList, ...]) -> None:
    for tool in (tool for one in lists for tool in one.tools):
        Draft202012Validator.check_schema(tool.parameters)
        assert tool.parameters["type"] == "object"
        assert set(tool.parameters["required"]) <= set(tool.parameters["properties"])
        assert re.fullmatch(r"[a-z][a-z0-9_]{2,63}", tool.name)
        assert tool.name not in (ASK, FINAL)
        assert all(part.get("description") for part in tool.parameters["properties"].values())
    names = Counter(tool.name for one in lists for tool in one.tools)
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_tools_check_finds_nothing(language: str) -> None:
    assert [str(finding) for finding in check_tools(library_file(language))] == []


def test_both_languages_have_one_shape() -> None:
    for english, chinese in zip(tool_library("en"), tool_library("zh"), strict=True):
        assert (english.id, english.category, english.subcategory) == (
            chinese.id,
            chinese.category,
            chinese.subcategory,
        )
        for one, other in zip(english.tools, chinese.tools, strict=True):
            assert one.name == other.name
            assert list(bare(one.parameters)["properties"]) == list(bare(other.parameters)["properties"])
            assert bare(one.parameters) == bare(other.parameters), one.name


def bare(value: Any) -> Any:
    """A schema without its descriptions."""
    if isinstance(value, dict):
        return {k: bare(part) for k, part in value.items() if k != "description" or not isinstance(part, str)}
    return [bare(part) for part in value] if isinstance(value, list) else value


def test_descriptions_are_in_their_language(lists: tuple[ToolList, ...]) -> None:
    for one in lists:
        texts = [one.name, *(tool.description for tool in one.tools)]
        parts = [part for tool in one.tools for _, part in schemas(tool.parameters)]
        texts += [part["description"] for part in parts if "description" in part]
        assert all(bool(CHINESE.search(text)) == (one.language == "zh") for text in texts), one.id


def test_chinese_descriptions_explain_what_english_words_mean() -> None:
    """The members of an enumeration are the same English words in both languages."""
    for tool in (tool for one in tool_library("zh") for tool in one.tools):
        for name, part in tool.parameters["properties"].items():
            members = part.get("enum", part.get("items", {}).get("enum", []))
            words = [str(member) for member in members if len(str(member)) > 1]
            assert all(word in part["description"] for word in words), f"{tool.name}.{name}"


def test_material_is_for_exactly_these_lists_and_tools(lists: tuple[ToolList, ...]) -> None:
    material = scripted_templates(lists[0].language)
    assert [(one.id, [tool.name for tool in one.tools]) for one in lists] == [
        (one.id, list(one.tools)) for one in material.values()
    ]


def test_other_languages_are_refused() -> None:
    for load in (tool_library, scripted_templates):
        with pytest.raises(UsageError, match="en or zh, not 'fr'"):
            load("fr")
