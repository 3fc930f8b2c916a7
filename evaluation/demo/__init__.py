"""An OpenAI-compatible endpoint of our own, which plays models of known quality and every fault that we know of.

For demonstrations and tests: no Django, no network but the loopback server itself.
"""
