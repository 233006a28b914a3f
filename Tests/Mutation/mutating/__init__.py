"""The modules of `mutation`."""
