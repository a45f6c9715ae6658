"""`python -m collscope`: the command line, as the launcher starts it."""

import sys

try:
    from collscope.commands.cli import main
except KeyboardInterrupt:  # what comes later has its own way out: commands/errors
    sys.exit("collscope: stopped")

if __name__ == "__main__":
    main()
