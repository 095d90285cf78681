"""Texts of models, data and users inside Markdown and LaTeX: they stay text there."""

from __future__ import annotations

import re

from toolgauge.visible import one_line

_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\symbol{34}", "`": r"\textasciigrave{}", "\ufffd": "?",
    "*": "{*}", "[": "{[}", "]": "{]}", "'": r"\textquotesingle{}",
}  # fmt: skip
"""Commands of the kernel in every encoding: rows need no package. A star or a bracket would belong to the end of the
row before."""
_LIGATURE = re.compile(r"([-,])(?=\1)")
_TICKS = re.compile("`+")
_ADDRESS = re.compile(r"(?i)\bwww|\b(?:https?|ftp|mailto|xmpp)(?=:)")
"""What GitHub makes a link of by itself."""


def latex(text: str, limit: int = 200) -> str:
    """A text as LaTeX shows it, on one line."""
    shown = "".join(_LATEX.get(char, char) for char in one_line(text, limit))
    return _LIGATURE.sub(r"\1{}", shown)  # no dash out of hyphens, no quotation mark out of commas


def code(text: str, limit: int = 200, in_table: bool = False) -> str:
    """A text as a code span of GitHub's Markdown, in which nothing is markup, a mention or a link.

    in_table: a bar would end the cell, even inside a code span; GitHub reads a backslash before it.
    """
    line = one_line(text, limit) or " "
    fence = "`" * (1 + max(map(len, _TICKS.findall(line)), default=0))
    gap = " " if line.strip() and (line[0] == "`" or line[-1] == "`") else ""
    if in_table:
        line = line.replace("|", r"\|")
    return f"{fence}{gap}{line}{gap}{fence}"


def plain(text: str, limit: int = 200) -> str:
    """A text between words of ours in Markdown, without markup: its metacharacters are escaped."""
    line = one_line(text, limit).replace("&", "&amp;").replace("<", "&lt;")
    escaped = re.sub(r"([\\`*_{}\[\]()#+!|~>@$-])", r"\\\1", line).replace(r"\@", "@\u2060")
    return _ADDRESS.sub(lambda found: found[0] + "\u2060", escaped)
