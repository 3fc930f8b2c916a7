"""The pages, a module a subject, each with its own addresses. A view looks up, asks `queries` for one page, renders."""
