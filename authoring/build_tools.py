"""Check the hand-written tool lists in authoring/tools and write the package's tool library.

    python authoring/build_tools.py               check everything and write the files
    python authoring/build_tools.py travel money  check only these categories, write nothing

README.md beside this file describes the format.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import yaml

from build import LANGUAGES, Mistake
from tool_checks import alike, problems
from tool_sources import CATEGORIES, lists_of, read, render

TARGET = Path(__file__).parent.parent / "src/toolgauge"
LIBRARY = "tools/library/"


def compile_category(category: str) -> dict[str, list[dict[str, Any]]]:
    """Per language the lines of the library; raises Mistake with everything that is wrong."""
    document = read(category)
    lines = {language: [render(category, *one, language) for one in lists_of(document)] for language in LANGUAGES}
    wrong = [problem for language in LANGUAGES for one in lines[language] for problem in problems(one)]
    for english, chinese in zip(lines["en"], lines["zh"], strict=True):
        wrong += [f"{english['id']}: {one}" for one in alike(english["tools"], chinese["tools"])]
    if wrong:
        raise Mistake("\n".join(wrong))
    return lines


def compiled() -> dict[str, str]:
    """The content of every file that is written, by its path in the package."""
    files = {f"{LIBRARY}{language}.jsonl": "" for language in LANGUAGES}
    for category in CATEGORIES:
        for language, lines in compile_category(category).items():
            files[f"{LIBRARY}{language}.jsonl"] += "".join(map(_json, lines))
    ids = Counter(json.loads(line)["id"] for line in files[f"{LIBRARY}en.jsonl"].splitlines())
    if repeated := [one for one, count in ids.items() if count > 1]:
        raise Mistake(f"lists of the same id: {', '.join(repeated)}")
    return files


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def summary(files: dict[str, str]) -> Iterator[str]:
    """What was made, a line per file."""
    for name, text in files.items():
        yield f"{name}: {text.count(chr(10))} lines, {len(text.encode()) / 1e6:.2f} MB"
    tools = [len(json.loads(line)["tools"]) for line in files[f"{LIBRARY}en.jsonl"].splitlines()]
    yield f"{len(tools)} lists, {sum(tools)} tools"


def main(categories: list[str]) -> int:
    try:
        if categories:
            for category in categories:
                lines = compile_category(category)["en"]
                print(f"{category}: {len(lines)} lists, {sum(len(line['tools']) for line in lines)} tools hold")
            return 0
        files = compiled()
        for name, text in files.items():
            (TARGET / name).write_text(text, encoding="utf-8")
        print("\n".join(summary(files)))
    except (Mistake, KeyError, yaml.YAMLError, jsonschema_rs.ValidationError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
