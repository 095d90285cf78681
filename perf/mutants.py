"""Which share of the mutants died: what `make mutation` ends with.

mutmut run && mutmut export-cicd-stats && python perf/mutants.py --least 0.9
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

STATS = Path("mutants/mutmut-cicd-stats.json")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--least", type=float, default=0.9, help="exit 1 below this share")
    least = options.parse_args().least
    stats = json.loads(STATS.read_bytes())
    tried = sum(stats[name] for name in ("killed", "timeout", "survived", "no_tests", "suspicious", "segfault"))
    died = stats["killed"] + stats["timeout"]
    print(f"{died} of {tried} mutants died ({died / tried:.1%})")
    sys.exit(died < least * tried)


if __name__ == "__main__":
    main()
