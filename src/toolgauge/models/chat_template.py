"""What the source of a chat template tells."""

from __future__ import annotations


def shows_tools(template: str) -> bool:
    """Does it show the model the tools? A server leaves them out of the prompt otherwise, without a word."""
    return "tools" in template
