"""Exact values, best replies and optima by the product of chance, memories and round."""
