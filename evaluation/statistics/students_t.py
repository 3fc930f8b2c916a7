"""Student's t, for few items. Apart from `intervals`, so that ranking a field of models does not load scipy.

Pure: may not import Django, HTTP or a clock.
"""

from scipy.special import stdtrit


def t_critical(degrees_of_freedom: int) -> float:
    """The two-sided 5 % point of Student's t, at 1 degree of freedom or more; falls towards Z95 as they grow."""
    return float(stdtrit(degrees_of_freedom, 0.975))
