"""What staff see and do beyond the public pages."""
