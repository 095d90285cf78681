"""Logs of other programs, each format read into conversations: `registry.py` names them."""
