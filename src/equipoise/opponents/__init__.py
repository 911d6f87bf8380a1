"""Scripted strategies in finite-memory form, and the pools they make up."""
