"""What `.ci/mutation` is made of."""
