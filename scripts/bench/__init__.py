"""What the project adds to the work itself: ratios to a floor, with bars (``make bench``)."""
