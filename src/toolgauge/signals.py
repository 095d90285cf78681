"""Signals that end the work: SIGTERM and SIGHUP do what Ctrl-C does, and the exit code says which one it was.

What is ignored when we start (nohup, a job in the background of a script) stays ignored.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_first: int | None = None


class EndedInOrder(SystemExit):
    """The work ended in order because of a signal, and has said so."""

    def __init__(self) -> None:
        super().__init__(exit_code())


def exit_code() -> int:
    """The shell's code for the first signal that came: 130 (SIGINT), 143 (SIGTERM), 129 (SIGHUP)."""
    return 128 + (_first or signal.SIGINT)


def end_like_ctrl_c() -> None:
    """Let SIGTERM and SIGHUP do what Ctrl-C does at that moment. Outside of the main thread this does nothing."""
    global _first  # noqa: PLW0603 - signals belong to the process
    _first = None
    if threading.current_thread() is not threading.main_thread():
        return  # Python lets nobody else handle signals
    for number in ENDING[1:]:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _as_interrupt)


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    _note(number)
    usual = signal.getsignal(signal.SIGINT)
    if not callable(usual):
        raise KeyboardInterrupt
    usual(signal.SIGINT, frame)


def _note(number: int) -> None:
    global _first  # noqa: PLW0603 - signals belong to the process
    _first = _first or number


def on_first(action: Callable[[], None]) -> Callable[[], None]:
    """Call `action` in the running loop at the first of these signals; the second one does what it always does.

    Returns what puts everything back. For the main thread.
    """
    loop = asyncio.get_running_loop()
    usual = {number: signal.getsignal(number) for number in ENDING}
    taken = [number for number in ENDING if usual[number] is not signal.SIG_IGN]

    def put_back() -> None:
        while taken:
            number = taken.pop()
            loop.remove_signal_handler(number)
            signal.signal(number, usual[number] or signal.SIG_DFL)

    def first(number: int) -> None:
        put_back()
        _note(number)
        action()

    for number in taken:
        loop.add_signal_handler(number, first, number)
    return put_back
