"""A model judges recorded conversations: runs, and logs that were imported."""
