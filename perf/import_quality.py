"""How well are tasks found in logs? Annotated sessions are flattened to what a log has, imported, and compared.

    python perf/import_quality.py [FILE ...]

FILE: further sessions in the usual format. The table of docs/import.md is what this prints.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.conversations.import_quality import demo, mini, quality, row, row_of_cases

from toolgauge.benchmarks.dialogues.data.load import load_dataset
from toolgauge.errors import DataError

LANGUAGES = ("en", "zh")


def main() -> None:
    print("| data | language | begins: P | R | kinds | types | references | edges: P | R | sources |")
    with tempfile.TemporaryDirectory() as scratch:
        for language in LANGUAGES:
            print(row("mini", language, quality(mini(language))))
            print(row("demo", language, quality(demo(language, Path(scratch) / language))))
    for file in sys.argv[1:]:
        for language in LANGUAGES:
            try:
                print(row(Path(file).stem, language, quality(load_dataset(file, language=language).sessions)))
            except DataError:
                continue
    for language in LANGUAGES:
        for part in ("before", "held_out"):
            print(row_of_cases(language, part))


if __name__ == "__main__":
    main()
