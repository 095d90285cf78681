"""toolgauge: how well do language models use tools when people talk to them the way people do?"""

# Nothing is imported here, not even `annotations`: until __main__.py runs, Ctrl-C prints a traceback with our files.
TYPE_CHECKING = False  # as type checkers know it, without `typing`
if TYPE_CHECKING:
    from typing import Any

    from toolgauge.api import (
        compare,
        estimate_generation,
        gate,
        generate,
        judge_conversations,
        make_site,
        run,
        score,
        verify,
    )
    from toolgauge.version import __version__

__all__ = [
    "__version__",
    "compare",
    "estimate_generation",
    "gate",
    "generate",
    "judge_conversations",
    "make_site",
    "run",
    "score",
    "verify",
]


def __getattr__(name: str) -> "Any":
    """The functions of the library, imported when first used: the command line's help must not wait for them."""
    if name == "__version__":
        from toolgauge import version

        return version.__version__
    if name in __all__:
        from toolgauge import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
