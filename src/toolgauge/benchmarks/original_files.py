"""What the original projects' result files say by their names: the model, and the language of the data."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from toolgauge.languages import has_han

SUFFIXES = (".jsonl", ".json", ".jsonl.merge", ".jsonl.unfinish")
"""Endings of result files; MMTB's tools leave the longer ones."""
_LANGUAGE = re.compile(r"(?:^|[_\-. ])(en|zh)(?=$|[_\-. ])")
_DATED = re.compile(r"\d[\d\-_.:]*_[0-9a-f]{6}_(?P<model>.+)")
_OPTIONS = re.compile(r"(?P<model>.+?)_(?:en|zh)(?:_remove_role)?(?:_contain_context)?")
_OF_ALL = ("Wild-Tool-Bench_result", "Wild-Tool-Bench_score")
"""Names of files that every model has in a folder of its own."""


def stem(path: Path) -> str:
    """The name of a result file without its ending."""
    ending = max((one for one in SUFFIXES if path.name.endswith(one)), key=len, default=path.suffix)
    return path.name.removesuffix(ending) or path.name


def model_in_name(path: Path) -> str:
    """The model as the original prints it: without date, random letters, language and options (`gpt4o1`); the folder's
    name for files that are called alike for every model."""
    if path.is_dir():
        return path.name
    name = stem(path)
    if name in _OF_ALL:
        return path.absolute().parent.name or name
    if dated := _DATED.fullmatch(name):
        name = dated["model"]
    elif not name.endswith(("_remove_role_contain_context", "_contain_context", "_remove_role")):
        return name
    options = _OPTIONS.fullmatch(name)
    return options["model"] if options else name


def language_in_name(path: Path) -> str | None:
    """The language that a file's name, else a folder around it, says: `..._zh_remove_role...`, `result_zh`."""
    place = path.absolute()
    for name in (stem(place), place.parent.name, place.parent.parent.name):
        if found := _LANGUAGE.findall(name):
            return str(found[-1])
    return None


def language_in_texts(texts: Iterable[str]) -> str | None:
    """The language of what users said: Chinese where most texts have Chinese characters; None without any."""
    found = [has_han(text) for text in texts if text.strip()]
    return None if not found else "zh" if 2 * sum(found) > len(found) else "en"
