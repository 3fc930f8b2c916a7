"""The pages, a package a subject: `views` answers requests, the modules beside it read what is shown."""
