"""What people want from a generation, made from its trajectories, as often as they like."""
