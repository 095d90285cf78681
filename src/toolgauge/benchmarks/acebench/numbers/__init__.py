"""The numbers of ACEBench: its tables, comparisons, details.csv and the sheets that the original offers."""
