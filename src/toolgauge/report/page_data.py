"""Data for the pages as classic scripts: a page opened from a file may neither fetch nor import.

A file is one call, `toolgauge.receive("<key>", "<data>")`: JSON, deflated (zlib, RFC 1950) and written in base64. The
key is the file's path below data/ without its ending; keys and paths are made of slugs and numbers only.
"""

from __future__ import annotations

import base64
import re
import zlib

from toolgauge.errors import ToolgaugeError
from toolgauge.report.site_folder import SiteFolder
from toolgauge.runs.lines import encode

_KEY = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*")
FOLDER = "data"
_EFFORT = 5
"""Of zlib, 1 to 9: beyond it files get hardly smaller, only later."""


def write_chunk(folder: SiteFolder, key: str, content: object) -> None:
    """Write the data file of a key. content: whatever msgspec takes, msgspec.Raw for parts at hand."""
    if not _KEY.fullmatch(key):
        raise ToolgaugeError(f"{key!r} is no key of a data file: slugs and numbers only")
    data = base64.b64encode(zlib.compress(encode(content), _EFFORT))
    folder.write(f"{FOLDER}/{key}.js", b'toolgauge.receive("%s", "%s");\n' % (key.encode(), data))
