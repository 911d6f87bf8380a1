"""Measuring what a policy does to others: exact values, estimates, results."""
