"""Calls that models write as text: one module per way of writing them, each bounded, none ever runs what it reads."""
