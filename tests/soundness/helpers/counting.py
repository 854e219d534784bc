"""A module with state, some of it behind names of harmless functions."""

seen: list = []
total = 0


def count(*given):
    seen.append(given)
    return len(seen)


sqrt = count


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return count(name)
