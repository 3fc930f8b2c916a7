"""The engine: asks models, scores replies, keeps results. Imports nothing from leaderboard."""

__version__ = "0.1.0"
