"""Show: what every page shares: numbers as text, the Jinja environment, the style sheet, charts."""
