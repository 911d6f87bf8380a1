"""Figures of results; they need the extra ``report``."""
