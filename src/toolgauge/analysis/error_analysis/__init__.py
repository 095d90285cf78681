"""What a model loses its points with, where, and examples of it: `losses(dataset, scores, reading)`."""

from toolgauge.analysis.error_analysis.losses import Loss, Losses, losses

__all__ = ["Loss", "Losses", "losses"]
