"""The agents: what each of them is told, and how its reply is read. The prompts are in ../prompts."""
