"""What bench is made of."""
