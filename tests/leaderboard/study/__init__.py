"""Tests of the studies that people rate in."""
