"""The page of an evaluation: figures and words in one HTML file that needs no network."""
