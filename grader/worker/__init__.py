"""What runs beside student code: it knows no answer, and decides nothing."""
