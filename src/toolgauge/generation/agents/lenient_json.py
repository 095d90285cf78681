"""JSON as models write it, brought into the form that JSON has; nothing is guessed that is not there.

Comments, commas before a closing bracket, single or Chinese quotation marks, Python's words for true, false and null,
line breaks inside texts, and Chinese punctuation between values. What is cut off stays unreadable.
"""

from __future__ import annotations

import json
import re

_STRING = r'"[^"\\]*+(?:\\.[^"\\]*+)*(?:"|\\?\Z)'
"""What is not closed goes on to the end: it makes the text unreadable either way, and is looked at once."""
_TOKEN = re.compile(
    rf"(?P<string>{_STRING})"
    r"|(?P<single>'[^'\\\n]*+(?:\\.[^'\\\n]*+)*(?:'|(?P<open>\n|\\?\Z)))"
    r"|(?P<chinese>“[^“”]*+”)"
    r"|(?P<comment>//[^\n]*+|\#[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*(?:\*/|\Z))"
    r"|(?P<word>\b(?:True|False|None|undefined|NaN)\b)"
    r"|(?P<wide>[，：｛｝［］])",
    re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null", "undefined": "null", "NaN": "null"}
_NARROW = dict(zip("，：｛｝［］", ",:{}[]", strict=True))
_TRAILING = re.compile(rf"({_STRING})|,(?=\s*+[}}\]])", re.DOTALL)
_CONTROL = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPED_SINGLE = re.compile(r"\\'")


def mended_json(text: str) -> str:
    """The text with the habits above put right; what is JSON already keeps its meaning. Takes linear time."""
    return _TRAILING.sub(lambda found: found[1] or "", _TOKEN.sub(_put_right, text))


def _put_right(found: re.Match[str]) -> str:
    said = found[0]
    match found.lastgroup:
        case "string":
            return "".join(_CONTROL.get(one, one) for one in said) if any(one in said for one in _CONTROL) else said
        case "single" if found["open"] is not None:
            return said
        case "single":
            inside = _ESCAPED_SINGLE.sub("'", said[1:-1])
            return '"' + inside.replace('\\"', '"').replace('"', '\\"') + '"'
        case "chinese":
            return json.dumps(said[1:-1], ensure_ascii=False)
        case "word":
            return _WORDS[said]
        case "wide":
            return _NARROW[said]
        case _:
            return ""
