"""Conversations as training data: one line each, in the formats that trainers read."""
