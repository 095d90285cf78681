"""The report of ACEBench: its tables, details.csv and the sheets that the original offers."""
