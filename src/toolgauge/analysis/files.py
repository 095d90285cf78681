"""Files that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from toolgauge.errors import StoreError


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """The path of a file to write, which takes the place of `path` at the end unless something fails.

    Raises StoreError if it cannot be written.
    """
    partial = path.with_name(path.name + ".part")
    try:
        yield partial
        partial.replace(path)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written ({error.strerror}); free space or choose another --out") from error
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
