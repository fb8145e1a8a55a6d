"""Results as people and programs read them; nothing here grades."""
