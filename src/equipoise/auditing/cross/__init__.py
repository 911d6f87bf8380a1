"""Policies against each other, and the equilibrium of the game between them."""
