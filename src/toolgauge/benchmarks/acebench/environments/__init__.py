"""What the agents of ACEBench act on: plain classes with state and functions, and the executor of their messages.

Read `environment.py` first, then one environment (`phone.py`), then `world.py`.
"""
