"""From solutions/ to exercises/, and the scan that keeps what is private at home."""
