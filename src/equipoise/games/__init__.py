"""Rules: one game a file, and the seams they share."""
