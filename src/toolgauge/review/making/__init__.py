"""The models of a generation inside a review: the next layer of tasks.

    commands.py -> maker.py: a job, one at a time -> running.py: `generate` in a thread -> taking.py: its result becomes
    events of the journal

A job and all that it needs stand in a folder of the review (jobs.py): a server that was killed goes on with it, and
the command lines that it stands for can be run by hand. What is taken into the journal has a key, so nothing is taken
twice.
"""
