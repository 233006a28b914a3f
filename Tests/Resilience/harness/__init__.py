"""The shared modules of the resilience scripts."""
