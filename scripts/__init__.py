"""The command line and the small programs behind the Makefile."""
