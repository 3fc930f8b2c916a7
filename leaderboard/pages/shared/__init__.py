"""What several subjects use; imports none of them."""
