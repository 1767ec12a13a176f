"""`python -m learnt` is the command line."""

from learnt.cli import main

if __name__ == "__main__":
    main()
