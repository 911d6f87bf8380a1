"""What an audit reads from its transcripts besides payoffs: strategies, leaks, dimensions, successes."""
