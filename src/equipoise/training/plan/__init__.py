"""What a recipe will cost, counted and estimated before any weights are loaded."""
