"""SVG attribute values for the small drawings of the pages: numbers in, strings out."""
