"""The site's own strings: words/<page>.<language>.json, a flat object of texts with {names} for values, and the
messages of its scripts, which are called by their English (`t("...")`, `pt("context", "...")`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import msgspec

_FOLDER = Path(__file__).parent / "words"
_ASSETS = Path(__file__).parent / "assets"
_TEXT = r'"(?:[^"\\]|\\.)*"'
_CALL = re.compile(rf"\b(?:t\(|pt\(({_TEXT}), )({_TEXT})")
IN_CONTEXT = "\u0004"
"""Between the context of a message and its English, as gettext has it."""


@cache
def _file(page: str, language: str) -> dict[str, str]:
    return msgspec.json.decode((_FOLDER / f"{page}.{language}.json").read_bytes(), type=dict[str, str])


def words(pages: Iterable[str], language: str) -> dict[str, str]:
    """All strings of some pages in a language ("en", "zh")."""
    return {key: text for page in pages for key, text in _file(page, language).items()}


def script_messages(scripts: Iterable[str], language: str) -> dict[str, str]:
    """The messages of some scripts: their English, its context before it where they name one -> the text in a
    language. Empty for English."""
    if language == "en":
        return {}
    keys = sorted({key for script in scripts for key in messages_of(script)})
    return {key: _chinese()[key] for key in keys}


@cache
def messages_of(script: str) -> tuple[str, ...]:
    """What a script of assets/ says, in the order in which it is written; other people's scripts (vega) say nothing."""
    file = _ASSETS / f"{script}.js"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    return tuple(_key(*found) for found in _CALL.findall(text))


def _key(context: str, message: str) -> str:
    parts = (part for part in (context, message) if part)
    return IN_CONTEXT.join(msgspec.json.decode(part, type=str) for part in parts)


@cache
def _chinese() -> dict[str, str]:
    pages = sorted({file.name.split(".")[0] for file in _FOLDER.glob("*.json")})
    found = {text: _file(page, "zh")[key] for page in pages for key, text in _file(page, "en").items()}
    return found | {f"column{IN_CONTEXT}Reading": "口径", f"difference{IN_CONTEXT}missing": "缺少"}
