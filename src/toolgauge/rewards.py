"""`toolgauge.rewards`: rewards for training, see docs/training.md."""

from toolgauge.integrations.rewards import SHAPES, DecisionPoint, Reward, Rewards, RewardTask, Shape

__all__ = ["SHAPES", "DecisionPoint", "Reward", "RewardTask", "Rewards", "Shape"]
