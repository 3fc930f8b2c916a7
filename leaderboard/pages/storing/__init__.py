"""Parts of pages that are made and stored after a result, by workers."""
