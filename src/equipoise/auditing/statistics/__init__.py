"""Intervals, hinges, power and variance reduction: how samples become numbers that can be believed."""
