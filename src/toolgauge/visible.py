"""Untrusted text for a terminal: characters that it would obey or hide are shown as escapes.

Ids, names, replies, errors of servers, paths: any of them may hold escape sequences (colours, titles, links, the
clipboard), carriage returns and backspaces that overwrite a line, line breaks that forge one, marks of direction and
characters without width.
"""

from __future__ import annotations

import json

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
