"""How every score is made."""
