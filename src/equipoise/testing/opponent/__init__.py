"""What every opponent must hold."""
