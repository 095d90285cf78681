"""Cells that fail today, by the item that mends them. A cell that passes leaves this list.

Those that `make test` has are complete; of the others there are those that have been tried.
"""

from __future__ import annotations

_BY_ITEM = {
    1: (  # links
        "serve-log:out-link",
    ),
    2: (  # sites
        "report-out:site-foreign",
    ),
    4: (  # keys and .env
        "env-generate:env-fifo",
        "env-generate:env-gigabyte",
        "env-generate:env-url-openai",
        "env-models:env-many",
        "env-probe-messages:env-expansion-anthropic",
        "env-probe-messages:env-expansion-own-key-anthropic",
        "env-probe:env-above",
        "env-probe:env-url-openai",
        "env-run:env-url-openai",
        "probe-messages:server-redirect-301",
        "run-dialect:server-echo-200",
        "run-messages:server-redirect-302",
    ),
    6: (  # special files, sizes and budgets
        "ace-check:ace-questions-gigabyte",
        "ace-run:ace-possible_answer-gigabyte",
        "analyse:gigabyte-trajectories.jsonl",
        "cache-check:cache-device",
        "cache-check:cache-fifo",
        "cache-fetch:cache-fifo",
        "cache-list:cache-fifo",
        "cache-stats:cache-fifo",
        "compare-second:gigabyte-trajectories.jsonl",
        "data-check-mmtb:file-gigabyte",
        "examples:file-gigabyte",
        "examples:file-gigabyte-value",
        "export-data:file-gigabyte",
        "export:fifo-details.csv",
        "generate-tools:file-gigabyte-value",
        "generate:fifo-run.json",
        "generate:gigabyte-run.json",
        "openapi-stream:file-fifo",
        "openapi-stream:shared-large-schema",
        "predictions-mmtb:file-device",
        "predictions-mmtb:file-gigabyte",
        "predictions:file-gigabyte-value",
        "probe-messages:server-gzip-bomb",
        "report-data:file-gigabyte-value",
        "run-data:file-gigabyte-value",
        "run-fetch:server-endless-slow",
        "scenarios:file-gigabyte",
        "scenarios:file-gigabyte-value",
        "score-out:gigabyte-run.json",
        "score:device-run.json",
        "score:fifo-run.json",
        "score:gigabyte-run.json",
        "serve-log:out-fifo",
        "tools-show:file-gigabyte",
        "view:fifo-run.json",
        "view:gigabyte-metrics.json",
    ),
    8: (  # failures inside a 200
        "generate-checker:server-finish-error",
        "generate-planner:server-choice-empty",
        "generate-planner:server-error-choice",
        "generate-planner:server-finish-error",
        "generate-tool:server-choice-empty",
        "generate-user:server-finish-error",
    ),
    9: (  # stale or edited results
        "compare-second:metrics-deep",
        "export:metrics-all-NoneType",
        "report:metrics-edited",
        "report:scores-stale",
    ),
    10: (  # newer versions
        "generate:newer",
    ),
}
EXPECTED_FAILURES = {cell: item for item, cells in _BY_ITEM.items() for cell in cells}
"""Id of a cell -> number of the item."""
