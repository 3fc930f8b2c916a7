"""What must go on happening."""

from django.db import models


class Pulse(models.Model):
    """When something that must go on happening last happened, and how often in all: a row a name, of `pulses.py`."""

    name = models.CharField(max_length=40, primary_key=True)
    at = models.DateTimeField()
    count = models.PositiveBigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.name}, {self.count} times"
