"""ACEBench's bracket list as a dialect for any benchmark: `[Api(key='value', n=3), Other()]`.

The decoders in ace.py keep the benchmark's rules to the letter. Here every bracket group that is calls counts, and what
Python's grammar has no place for is mended before it is parsed: words of Python as keywords (`from='Oslo'`), names with
hyphens, and JSON's true, false and null.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Sequence

from msgspec import Struct

from toolgauge.call_problems import CallProblem, UnreadCall
from toolgauge.models.dialects.ace import AceCall, Undecodable, decode_exact, render_calls
from toolgauge.models.dialects.ace_text import complete_groups
from toolgauge.models.dialects.bounded import OPEN_STRING, STRING
from toolgauge.models.dialects.dialect import Parsed, PlainCall, Result
from toolgauge.models.dialects.family import Family, write_json
from toolgauge.models.dialects.format_spec import CallReader, FormatSpec, tool_lines
from toolgauge.models.dialects.reading import Reading

_RUN = r"[^\s\[\](){},=:'\"]"
_PIECE = re.compile(rf"{STRING}|{OPEN_STRING}|(?P<run>{_RUN}++)(?P<next>\s*+(?:\(|=(?!=)))?", re.DOTALL)
_NAME = re.compile(rf"{_RUN}+")
_ESCAPE = re.compile(r"_x([0-9a-f]{1,6})_")
_EMPTY = "_x_"
_CONSTANTS = {"true": "True", "false": "False", "null": "None"}
LIKE_CALLS = re.compile(rf"\[\s*+{_RUN}++\(")


class Lists(Struct, frozen=True):
    """A `CallReader` of bracket lists. otherwise: reads a text that holds no call in brackets."""

    otherwise: CallReader | None = None

    def read(self, text: str) -> Parsed:
        listed = read_lists(text)
        if listed.calls or self.otherwise is None:
            return listed
        other = self.otherwise.read(text)
        return other if other.calls or not listed.problem else listed


def read_lists(text: str) -> Parsed:
    """The calls of every bracket group of a text, and what else it says."""
    reading = Reading(text)
    at = 0
    for group in complete_groups(text):
        start = text.index(group, at)
        decoded = decode_exact(mended(group))
        before = len(reading.calls)
        try:
            if isinstance(decoded, Undecodable):
                raise UnreadCall(CallProblem.BROKEN_LIST)
            for call in decoded:
                take_call(reading, call)
        except UnreadCall as unread:
            del reading.calls[before:]  # the whole group stays text
            if LIKE_CALLS.match(group):
                reading.blame(unread.problem)
            continue
        if decoded:
            reading.say(text[at:start])
            at = start + len(group)
    reading.say(text[at:])
    if not reading.calls and LIKE_CALLS.search(text):
        reading.blame(CallProblem.CUT_OFF)
    return reading.result()


def as_python(calls: Sequence[PlainCall]) -> str:
    """Calls as one bracket list."""
    return render_calls([AceCall(_writable(c.name), {_writable(k): v for k, v in c.arguments.items()}) for c in calls])


def take_call(reading: Reading, call: AceCall) -> None:
    """One decoded call; raises UnreadCall where JSON has no form for it."""
    if call.positional:
        raise UnreadCall(CallProblem.POSITIONAL)
    reading.take(_meant(call.name), {_meant(key): _json(value) for key, value in call.arguments.items()})


def _json(value: object) -> object:
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): _json(item) for key, item in value.items()}
    if isinstance(value, bytes | complex):
        raise UnreadCall(CallProblem.BROKEN_LIST)
    return value


def mended(group: str) -> str:
    """A bracket group in which every name before a `(` or `=` is a Python name; undone by `_meant`."""
    return _PIECE.sub(_mend, group)


def _mend(piece: re.Match[str]) -> str:
    run, follows = piece["run"], piece["next"] or ""
    if run is None:
        return piece[0]
    if not follows:
        return _CONSTANTS.get(run, run)
    return (run if _is_python_name(run) else _escaped(run)) + follows


def _is_python_name(name: str) -> bool:
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in name.split(".")) and (
        name.isascii() or unicodedata.is_normalized("NFKC", name)
    )


def _writable(name: str) -> str:
    """A name as it is written in a list: as it is, unless it would not be read back."""
    return name if _NAME.fullmatch(name) and not _ESCAPE.search(name) and name != _EMPTY else _escaped(name)


def _escaped(name: str) -> str:
    """Every character but letters, and the first one, by its number."""
    if not name:
        return _EMPTY
    return "".join(
        char if number and char.isascii() and char.isalpha() else f"_x{ord(char):x}_"
        for number, char in enumerate(name)
    )


def _meant(name: str) -> str:
    if name == _EMPTY:
        return ""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if int(found[1], 16) < 0x110000 else found[0], name)


def _by_name(results: Sequence[Result]) -> str:
    return write_json([{result.name: result.content} for result in results])


ACE = Family(
    "ace", "ACEBench's bracket list", FormatSpec("ace", Lists(), tool_lines, as_python, _by_name), alternating=True
)
