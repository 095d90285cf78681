"""Built-in models: no network, the same replies in every run; and the mistakes that they can make on purpose."""
