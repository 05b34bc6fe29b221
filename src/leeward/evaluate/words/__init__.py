"""What an evaluation found, in plain words: every number is filled in from the run."""
