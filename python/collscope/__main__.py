"""`python -m collscope`: the command line, as the launcher starts it."""

from collscope.commands.cli import main

if __name__ == "__main__":
    main()
