"""The modules of bench."""
