"""What each part of the method is worth: the same run with one thing changed, over seeds."""
