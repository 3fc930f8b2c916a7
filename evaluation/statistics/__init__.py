"""Statistics of scores: numpy arrays in, frozen dataclasses out.

Pure: may not import Django, Celery, HTTP, a clock or unseeded chance; where chance is used, the seed is an argument.
Missing values are NaN in arrays and None in results, and never zero. All figures are in the unit of the input: for
EQ-Bench give item scores in points (ten times the 0 to 10 item score), so that a run's score is their mean.
"""
