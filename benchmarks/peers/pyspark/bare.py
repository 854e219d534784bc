"""A bare session: started, and stopped."""

from session import session


def run(source, target, **options):
    session().stop()
