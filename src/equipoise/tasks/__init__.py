"""Free-text tasks: dialogue, shopping, household."""
