"""What runs samples: this process, a Ray cluster, or a provider's batch API."""
