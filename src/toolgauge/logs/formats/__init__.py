"""A reader for every format of logs."""
