"""Why something that a person asked for is not done; nothing has changed then."""

from __future__ import annotations

from toolgauge.errors import ToolgaugeError
from toolgauge.locale import Text
from toolgauge.review.events import Place


class Refusal(ToolgaugeError):
    """Something that is not done. message: why, for a page in the language of whoever asked for it."""

    def __init__(self, message: Text) -> None:
        super().__init__(str(message))
        self.message = message


class Refused(Refusal):
    """What was asked for does not fit the session. place: the part of it that this concerns, where that is known."""

    def __init__(self, message: Text, place: Place | None = None) -> None:
        super().__init__(message)
        self.place = place


class Forbidden(Refusal):
    """Somebody may not do this: a lead's work, or another one's copy."""


class Stale(Refusal):
    """The session was changed meanwhile. version: of the copy as it stands now."""

    def __init__(self, message: Text, version: int) -> None:
        super().__init__(message)
        self.version = version
