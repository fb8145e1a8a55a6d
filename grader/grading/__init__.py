"""Where an answer key and a student's work meet: scores, partial credit, the named mistake, stored results."""
