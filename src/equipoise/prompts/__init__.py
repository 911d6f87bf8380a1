"""Words for decisions and actions for words."""
