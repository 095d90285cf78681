"""Has the warm server carry out a command, with the streams, folder, environment and signals of this process.

    python -SI client.py SOCKET PROGRAM BEFORE ARGUMENT...

PROGRAM: "-m" for `python -m toolgauge`, empty for a script. It imports little, so that it starts at once.
"""

import json
import os
import signal
import socket
import struct
import sys

_, place, program, before, *arguments = sys.argv
server = socket.socket(socket.AF_UNIX)
server.connect(place)
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda received, _frame: server.send(bytes([received])))
request = json.dumps(
    {
        "folder": os.getcwd(),  # noqa: PTH109 - pathlib takes longer to load
        "environment": dict(os.environ),
        "program": program,
        "before": before,
        "arguments": arguments,
    }
).encode()
socket.send_fds(server, [struct.pack("!I", len(request))], [0, 1, 2])
server.sendall(request)
for stream in (0, 1, 2):
    os.close(stream)
answer = b""
while not answer.endswith(b"\n") and (more := server.recv(4096)):
    answer += more
code = json.loads(answer)["code"] if answer else 1
if code < 0:
    signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
    os.kill(os.getpid(), -code)
os._exit(code)
