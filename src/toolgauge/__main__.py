"""`python -m toolgauge`."""

from toolgauge.cli.main import main

main()
