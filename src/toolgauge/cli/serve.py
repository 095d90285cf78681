"""`toolgauge serve MODEL`: an installed engine with the flags that the model's family needs, until Ctrl-C."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

import typer

from toolgauge.cli.terminal import console, echo
from toolgauge.errors import UsageError, os_cause
from toolgauge.files import open_own
from toolgauge.models.engines.engine import EngineName

if TYPE_CHECKING:
    from toolgauge.models.engines.command import Serving
    from toolgauge.models.engines.process import EngineProcess

QUIET_SECONDS = 30.0
"""Where there is no terminal, progress is a line this often."""


def serve(
    model: Annotated[str, typer.Argument(help="A model's name on the hub, a folder with its files, or a GGUF file.")],
    extra: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGUMENTS]", help="Further arguments of the engine.")
    ] = None,
    engine: Annotated[
        EngineName | None, typer.Option(help="Default: the first that is installed; for GGUF files llamacpp.")
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen at; others than the loopback are open to others.")] = (
        "127.0.0.1"
    ),
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Default: the engine's own; 0 takes a free one."),
    ] = None,
    context_length: Annotated[
        int | None, typer.Option(min=1, metavar="TOKENS", help="Longest conversation; default: the model's.")
    ] = None,
    slots: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Conversations at once; default: the engine's.")
    ] = None,
    parser: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The engine's tool call parser; default: the family's; none: calls as text."),
    ] = None,
    template: Annotated[
        str | None, typer.Option(metavar="FILE", help="A chat template instead of the model's.")
    ] = None,
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Let the engine run Python code out of the model's files.")
    ] = False,
    wait: Annotated[
        float, typer.Option(min=1.0, metavar="SECONDS", help="How long it may take to get ready.")
    ] = 1800.0,
    log: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the engine's output in this file.")] = None,
    print_only: Annotated[bool, typer.Option("--print", help="Show the command, start nothing.")] = False,
) -> None:
    """\b
    toolgauge serve Qwen/Qwen3-8B
    toolgauge serve model.gguf --slots 4 --print

    Serve a model on this machine with vLLM, SGLang, transformers or llama.cpp, set up for tool calls.
    """
    from toolgauge.models.engines.command import ServeRequest, choose_engine, plan_serving
    from toolgauge.models.engines.process import check_port

    request = ServeRequest(
        model, host, port, context_length, slots, parser, template, trust_remote_code, tuple(extra or ())
    )
    serving = plan_serving(request, *choose_engine(engine, model=model, must_run=not print_only))
    if print_only:
        echo(shlex.join(serving.command))
    for note in serving.notes:
        echo(f"Note: {note}", err=True)
    if not print_only:
        check_port(serving.host, serving.port)
        with _kept(log) as file, running(serving, wait, file) as engine_process:
            engine_process.wait()


@contextmanager
def running(
    serving: Serving, limit: float, log: IO[str] | None = None, *, says_run: bool = True
) -> Iterator[EngineProcess]:
    """The engine once it answers; it is stopped where the block is left. limit: seconds for it to get ready; says_run:
    show the command for a run.

    Raises EngineEnded, below its last lines, where it ends by itself, and typer.Exit at Ctrl-C.
    """
    from toolgauge.models.engines.process import EngineEnded, EngineProcess

    title = serving.engine.title
    with _ending_like_ctrl_c():
        try:
            with EngineProcess(serving.command, log, serving.engine.environment) as engine:
                try:
                    _wait_until_ready(engine, serving, limit, says_run)
                    yield engine
                except EngineEnded:
                    for line in engine.last_lines():
                        echo(f"  {line}", err=True)
                    raise
                except KeyboardInterrupt:
                    echo(err=True)  # the terminal has written ^C
                    echo(f"Stopping {title} (Ctrl-C again kills it) ...", err=True)
                    raise
        except KeyboardInterrupt:
            echo(f"{title} has stopped.", err=True)
            raise typer.Exit from None


def _wait_until_ready(engine: EngineProcess, serving: Serving, limit: float, says_run: bool) -> None:
    title = serving.engine.title
    echo(f"Starting {title}: {shlex.join(serving.command)}", err=True)
    with _progress() as news:
        seconds = engine.wait_until_ready(serving.base_url, limit, news)
    answers = f"{title} answers at {serving.base_url} (after {seconds:.0f} s). Ctrl-C ends it."
    echo(f"{answers} In another terminal:" if says_run else answers)
    if says_run:
        echo(f"  {shlex.join(serving.run)}")


@contextmanager
def _progress() -> Iterator[Callable[[float, str], None]]:
    """Where to tell the seconds and the engine's last line: one line that changes, or now and then a line."""

    terminal = console(err=True)
    if terminal.is_terminal:
        with terminal.status("") as status:
            yield lambda seconds, line: status.update(str(_still(seconds, line)[: terminal.width - 4]))
        return
    last = 0.0

    def tell(seconds: float, line: str) -> None:
        nonlocal last
        if seconds - last >= QUIET_SECONDS:
            last = seconds
            echo(_still(seconds, line), err=True)

    yield tell


def _still(seconds: float, line: str) -> str:
    return f"{seconds:.0f} s: {line or 'nothing said yet'}"


@contextmanager
def _kept(log: Path | None) -> Iterator[IO[str] | None]:
    """The file for everything that the engine says, to append to; None where nobody wants one."""
    if log is None:
        yield None
        return
    try:
        descriptor = open_own(log, os.O_WRONLY | os.O_APPEND)
    except OSError as error:
        raise UsageError(f"Cannot write --log {log}: {os_cause(error)}") from error
    file = os.fdopen(descriptor, "a", encoding="utf-8")
    with file:
        yield file


@contextmanager
def _ending_like_ctrl_c() -> Iterator[None]:
    """A request to end, or the terminal's window closed, stops the engine as Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    ending = [number for number in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in (*ending, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
