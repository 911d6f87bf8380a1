"""Playing episodes: deals, the engine, transcripts."""
