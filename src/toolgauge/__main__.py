"""`python -m toolgauge`, and the console script: Ctrl-C before the command is loaded ends it without a word."""

try:  # before anything else
    import gc
    import signal
    import sys

    # Nothing is open or written yet: until the command line is loaded, Ctrl-C ends the process as it ends any other.
    _early = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if _early:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
except KeyboardInterrupt:
    raise SystemExit(130) from None


def main() -> None:
    """Load the command line and do what it is asked."""
    gc.set_threshold(50_000, 20, 50)  # a run makes a great many objects and few cycles: a tenth of its time
    from toolgauge.cli.verbs import main as command
    from toolgauge.cli.verbs import program, verbs_for

    app = program(verbs_for(sys.argv[1:]))
    try:
        if _early:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        command(app)
    except KeyboardInterrupt:  # between two lines of ours: before anything was begun, or when all was said
        raise SystemExit(130) from None
    finally:
        if _early:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        gc.freeze()  # what is left ends with the process; to look through it for garbage takes 0.3 s


if __name__ == "__main__":
    main()
