"""What `mutation` is made of."""
