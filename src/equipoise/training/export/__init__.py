"""Takes trained adapters out of a run: merged into the model, or as an adapter that others can load."""
