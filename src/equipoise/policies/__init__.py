"""Everything that can be asked for an action."""
