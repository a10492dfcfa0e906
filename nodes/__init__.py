"""Node bodies: generators of calls, one role a module."""
