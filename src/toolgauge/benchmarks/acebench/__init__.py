"""ACEBench: normal, special and agent categories in English and Chinese, how each is asked, and what agents act on."""
