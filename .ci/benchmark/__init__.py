"""What .ci/bench is made of."""
