"""What the application shows, as data: the queue, a session, and the page around them."""
