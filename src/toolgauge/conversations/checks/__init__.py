"""What can be said of recorded calls without an annotation: findings with their evidence, and never an accuracy."""
