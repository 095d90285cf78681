"""What the agents of ACEBench act on: small environments over plain state, their declared functions, and the executor.

Read `declaration.py` first, then one environment (`reminder.py` is the shortest), then `world.py` and `executor.py`.
"""
