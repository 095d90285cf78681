"""llama.cpp's server out of the package xllamacpp, for machines without the program `llama-server`.

    python -m toolgauge.models.engines.llamacpp_server --model FILE --host 127.0.0.1 --port 8080 ...

It takes those flags of llama-server that `toolgauge serve` writes, and their short forms. The server listens when the
model is loaded, and ends with this process.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from pathlib import Path
from typing import Any

MOST_TEMPLATE = 4_000_000
"""Bytes."""


def options(arguments: list[str]) -> argparse.Namespace:
    """The flags of llama-server that are understood here."""
    parser = argparse.ArgumentParser(prog="llamacpp_server", allow_abbrev=False)
    parser.add_argument("-m", "--model", required=True, help="a GGUF file")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("-a", "--alias", default="", help="what requests call the model")
    parser.add_argument("-c", "--ctx-size", type=int, default=0, help="tokens, of all slots together; 0: the model's")
    parser.add_argument("-np", "--parallel", type=int, default=1, help="slots: conversations at once")
    parser.add_argument("-t", "--threads", type=int, default=0)
    parser.add_argument("-ngl", "--gpu-layers", "--n-gpu-layers", type=int, default=-1)
    parser.add_argument("--jinja", action="store_true", default=True, help="use the chat template (always)")
    parser.add_argument("--chat-template", default="", help="the name of a template that llama.cpp has")
    parser.add_argument("--chat-template-file", default="", help="a file with a template")
    return parser.parse_args(arguments)


def parameters(asked: argparse.Namespace) -> Any:
    """xllamacpp's parameters of what was asked for. Raises OSError for a template file that cannot be read."""
    import xllamacpp

    found = xllamacpp.CommonParams()
    found.model.path, found.hostnames, found.port = asked.model, [asked.host], asked.port
    found.n_ctx, found.n_parallel, found.use_jinja = asked.ctx_size, asked.parallel, True
    found.n_gpu_layers, found.endpoint_slots, found.ui = asked.gpu_layers, True, False
    found.cors_origins, found.cors_origins_explicit = "", True
    found.model_alias = {asked.alias or Path(asked.model).name}
    if asked.threads:
        found.cpuparams.n_threads = found.cpuparams_batch.n_threads = asked.threads
    if asked.chat_template_file:
        with Path(asked.chat_template_file).open("rb") as file:
            found.chat_template = file.read(MOST_TEMPLATE).decode("utf-8")
    elif asked.chat_template:
        found.chat_template = asked.chat_template
    return found


def main() -> int:
    asked = options(sys.argv[1:])
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    try:
        import xllamacpp

        server = xllamacpp.Server(parameters(asked))
    except (OSError, RuntimeError, ValueError) as error:
        sys.stdout.write(f"error: {error}\n")
        return 1
    sys.stdout.write(f"listening at {server.listening_address}\n")
    sys.stdout.flush()
    while not ending.wait(0.5):
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
