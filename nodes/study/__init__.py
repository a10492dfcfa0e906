"""Node bodies of the study graph (document 003, section 3), one node a module."""
