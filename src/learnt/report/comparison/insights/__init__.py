"""What the out-of-fold answers tell beyond scores: computed here, shown by the sections of the page."""
