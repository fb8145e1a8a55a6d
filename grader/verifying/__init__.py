"""`grader verify`: the author's proofs that an answer key does what it says."""
