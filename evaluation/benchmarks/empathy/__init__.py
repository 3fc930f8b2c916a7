"""Empathetic replies: gathered from a model, then rated by an LLM judge. Pure.

Source: Welivita and Pu 2024, arXiv 2406.05063, in which people rate. Prompts and reading of judgements are ours.
"""

from evaluation.benchmarks.empathy.gathering import EMPATHY_REPLIES
from evaluation.benchmarks.empathy.judging import EMPATHY_JUDGED

__all__ = ["EMPATHY_JUDGED", "EMPATHY_REPLIES"]
