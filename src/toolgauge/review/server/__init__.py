"""The web server of a review: who may ask, what is answered."""
