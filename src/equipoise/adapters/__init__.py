"""Bridges to other people's ecosystems: optional, loaded when asked for, thin."""
