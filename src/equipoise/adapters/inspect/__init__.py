"""Inspect: audits as its logs, and games as its tasks."""
