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


def parameters(options: argparse.Namespace) -> Any:
    """xllamacpp's parameters of what was asked for. Raises OSError for a template file that cannot be read."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.hostnames, params.port = options.model, [options.host], options.port
    params.n_ctx, params.n_parallel, params.use_jinja = options.ctx_size, options.parallel, True
    params.n_gpu_layers, params.endpoint_slots, params.ui = options.gpu_layers, True, False
    params.cors_origins, params.cors_origins_explicit = "", True
    params.model_alias = {options.alias or Path(options.model).name}
    if options.threads:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    if options.chat_template_file:
        with Path(options.chat_template_file).open("rb") as file:
            params.chat_template = file.read(MOST_TEMPLATE).decode("utf-8")
    elif options.chat_template:
        params.chat_template = options.chat_template
    return params


def main() -> int:
    arguments = options(sys.argv[1:])
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    try:
        import xllamacpp

        server = xllamacpp.Server(parameters(arguments))
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
