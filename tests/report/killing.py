"""Replaces a small site again and again in child processes, each killed at a later call to the system than the last.

    python killing.py FOLDER

Prints a line per child: the number of the call it was killed at (or "end"), and what the next build made of the folder
then: "whole" where it holds that site and nothing else.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

from toolgauge.report.site_folder import MARK, site_folder

FILES = ("index.html", "zh/index.html", "data/runs/x/0.js", "assets/base.css")
SEEN = ("open", "os.", "shutil.", "fcntl.")


def build(place: Path, text: str, more: tuple[str, ...] = (), overwrite: bool = False) -> None:
    with site_folder(place, [], overwrite) as folder:
        for name in (*FILES, *more):
            folder.write(name, text.encode())


def texts(place: Path) -> dict[str, str]:
    """What the files of a folder say, by name; site.json is left out."""
    return {
        path.relative_to(place).as_posix(): path.read_text()
        for path in place.rglob("*")
        if path.is_file() and path.name != MARK
    }


def killed_at(number: int, place: Path) -> int:
    """Build in a child that is killed at its call of that number; the child's status."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    count = 0

    def hook(event: str, _: object) -> None:
        nonlocal count
        if event.startswith(SEEN):
            count += 1
            if count == number:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    try:
        build(place, "new")
    except BaseException:
        os._exit(9)
    os._exit(0)


def main(folder: Path) -> None:
    for number in range(1, 2000):
        statuses = []
        for is_first in (True, False):
            place = folder / f"{number}-{is_first}"
            if not is_first:
                build(place, "old", ("gone/away.html",))
            status = killed_at(number, place)
            build(place, "next")
            found = "whole" if texts(place) == dict.fromkeys(FILES, "next") else str(texts(place))
            print(number if status == signal.SIGKILL else "end", found)
            statuses.append(status)
            shutil.rmtree(place)
        if signal.SIGKILL not in statuses:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]))
