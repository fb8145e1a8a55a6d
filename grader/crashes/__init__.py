"""What an error of Python or torch says, in the student's words: general, and true for any lesson."""
