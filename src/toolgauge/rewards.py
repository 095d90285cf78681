"""`toolgauge.rewards`: rewards for training, see docs/training.md."""

from toolgauge.integrations.rewards import SHAPES, Point, Reward, Rewards, RewardTask, Shape

__all__ = ["SHAPES", "Point", "Reward", "RewardTask", "Rewards", "Shape"]
