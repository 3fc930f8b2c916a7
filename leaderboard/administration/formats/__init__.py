"""How the administration writes days and times. The pages of the site have their own words for both."""
