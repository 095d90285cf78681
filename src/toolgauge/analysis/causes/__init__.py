"""Which mistakes cost a model most, where they concentrate, and examples: `losses(dataset, scores, scoring)`."""

from toolgauge.analysis.causes.losses import Loss, Losses, losses

__all__ = ["Loss", "Losses", "losses"]
