"""A visitor reports a mistake, or suggests a model."""
