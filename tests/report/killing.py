"""Replaces a small site again and again in child processes, each killed at a later call to the system than the last.

    python killing.py FOLDER [--two-steps]

Prints a line per child: the number of the call it was killed at (or "end"), what stood at the place afterwards (old,
new, nothing, mixed), what the next try made of it, and how many entries were left beside it then.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

from toolgauge.report import site_folder
from toolgauge.report.site_folder import MARK

FILES = ("index.html", "zh/index.html", "data/runs/x/0.js", "assets/base.css")
SEEN = ("open", "os.", "shutil.", "fcntl.", "ctypes.call", "toolgauge.")


def build(place: Path, text: str, more: tuple[str, ...] = ()) -> None:
    with site_folder.site_folder(place, "1", []) as folder:
        for name in (*FILES, *more):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)


def standing(place: Path) -> str:
    """What is at the place: a whole site of one kind, nothing, or else "mixed"."""
    if not place.exists():
        return "nothing"
    try:
        site_folder._check(place, place)
    except Exception:
        return "mixed"
    texts = {path.read_text() for path in place.rglob("*") if path.is_file() and path.name != MARK}
    return texts.pop() if len(texts) == 1 else "mixed"


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
        build(place, "new", ("more.html",))
    except BaseException:
        os._exit(9)
    os._exit(0)


def main(folder: Path, two_steps: bool) -> None:
    exchange = site_folder.exchange

    def told(one: Path, other: Path) -> bool:
        sys.audit("toolgauge.before")
        done = not two_steps and exchange(one, other)
        sys.audit("toolgauge.after")
        return done

    site_folder.exchange = told
    for number in range(1, 2000):
        case = folder / str(number)
        case.mkdir()
        place = case / "site"
        build(place, "old")
        status = killed_at(number, place)
        after = standing(place)
        build(place, "next")
        print(number if status == signal.SIGKILL else "end", after, standing(place), len(list(case.iterdir())))
        shutil.rmtree(case)
        if status != signal.SIGKILL:
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--two-steps" in sys.argv)
