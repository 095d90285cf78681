"""Bridges to other people's frameworks: rewards for training, environments for reinforcement learning."""
