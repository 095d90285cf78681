"""Other people's conversations: logs of any kind, read into sessions and checked."""
