"""The games as an environment of verifiers v1, and per-pool credit for its episodes."""
