"""The pages of LLM judges: what each said of the replies of models, beside what people said of the same replies."""
