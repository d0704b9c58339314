"""Research over datasets without a model: the question is read against the fields, and the records by its words."""
