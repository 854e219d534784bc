"""Results as people and programs read them: a table, Markdown, JSON, plots."""
