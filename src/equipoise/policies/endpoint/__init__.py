"""Agents that answer from elsewhere: endpoints, servers and programs."""
