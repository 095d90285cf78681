"""From a finished dialogue to an annotated session: where values come from, and what calls need of each other."""
