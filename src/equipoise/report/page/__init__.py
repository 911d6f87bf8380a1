"""The page: its template, style sheet and script, and what puts a report on it."""
