"""Results for people: figures, tables, and the page that has them all (most of it needs extra ``report``)."""
