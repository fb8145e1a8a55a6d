"""What a call did, as plain data, and how two such observations are compared."""
