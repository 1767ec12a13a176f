EXACT: dict[str, dict] = {}
EXCEPTIONS: dict[tuple[str, str], str] = {}
