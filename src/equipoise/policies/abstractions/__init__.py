"""State abstractions: what a small table keeps of an information state, one file a game."""
