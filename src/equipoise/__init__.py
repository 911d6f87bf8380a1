"""Train and audit agents that play against others."""
