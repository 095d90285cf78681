"""What others said in English - the system, a library, an error of ours - as a part of a message."""

from __future__ import annotations

from toolgauge.locale import Text, plain


def cause(error: BaseException | str) -> Text:
    """What an error says: its own message, else its words."""
    own = getattr(error, "text", None)
    return own if isinstance(own, Text) else plain(str(error))


def os_cause(error: OSError) -> Text:
    """Why the system refused, without the number and the file."""
    inner = getattr(error, "reason", None)  # of urllib's
    if isinstance(inner, OSError):
        return os_cause(inner)
    return plain(error.strerror) if error.strerror else cause(error)
