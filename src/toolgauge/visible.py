"""Untrusted text for a terminal and for pages: characters that they would obey or hide are shown as escapes.

Ids, names, replies, errors of servers, paths: any of them may hold escape sequences (colours, titles, links, the
clipboard), carriage returns and backspaces that overwrite a line, line breaks that forge one, marks of direction and
characters without width.
"""

from __future__ import annotations

import json
import re

BLANKS = "\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""Blanks other than the usual one; Chinese texts have them."""


def visible(text: str, kept: str = "") -> str:
    r"""A text with its controls, marks of direction and other unprintable characters as JSON writes them: \u001b, \n.

    kept: characters that stay as they are, such as a line break. Backslashes stay, so the result cannot be read back;
    JSON stays JSON.
    """
    if text.isprintable():
        return text
    shown = {char for char in set(text).difference(kept, BLANKS) if not char.isprintable()}
    return text.translate({ord(char): json.dumps(char)[1:-1] for char in shown})


UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""What nobody sees on a page or what turns the direction of a text there: controls, marks of direction, invisible
characters and tags. Joiners stay, which scripts and emoji need. The same as in report/assets/show.js."""


def tell_unseen(text: str) -> str:
    """A text for a page, with its unseen characters told by their numbers: [U+202E]."""
    if text.isascii() and text.isprintable():
        return text
    return UNSEEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", text)


def one_line(text: str, limit: int = 160) -> str:
    """A text as one short line that does no harm in a terminal, a table or an error: without line breaks, control
    characters, marks of direction and lone surrogates, at most `limit` characters long."""
    begun = text[: 8 * limit + 64]  # a text of megabytes is not walked through for one line
    words = " ".join(begun.split())
    shown = words if words.isprintable() else "".join(char if char.isprintable() else "\ufffd" for char in words)
    whole = len(begun) == len(text) and len(shown) <= limit
    return shown if whole else shown[: limit - 1] + "…"
