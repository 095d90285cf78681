"""BFCL v4 multi_turn for toolgauge (README.md)."""
