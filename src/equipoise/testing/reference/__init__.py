"""The reference pages, generated from what games, strategies and metrics declare, so they cannot drift."""
