"""Two runs on the same data, task by task: what was fixed, what was broken, and how sure that is."""
