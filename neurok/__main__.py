"""`python -m neurok` is the command `neurok`."""

from neurok.commands.main import main

raise SystemExit(main())
