"""The HTTP face of the service: sessions, their events and reports, and the page that shows them."""
