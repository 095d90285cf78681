"""Where the values of calls come from: what was said, what tools answered, the clock, or nowhere."""
