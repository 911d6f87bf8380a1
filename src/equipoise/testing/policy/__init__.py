"""What every policy must hold."""
