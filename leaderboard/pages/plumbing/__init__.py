"""What browsers and robots ask for beside the pages."""
