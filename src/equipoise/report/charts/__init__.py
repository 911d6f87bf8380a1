"""Charts: from numbers to drawings, one kind a file."""
