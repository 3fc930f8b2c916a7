"""The form that submits a model."""
