"""Process judges: which of a strategist's turns were decisive."""
