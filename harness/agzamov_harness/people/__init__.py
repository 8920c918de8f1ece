"""People at the table: what each is asked, the page on which they play, and the addresses of their pages."""
