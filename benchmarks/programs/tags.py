"""Posts that are at least the fifth in a row of their author with one tag."""

import anabranch as ab


class Post(ab.Record):
    at: int
    author: int
    tag: int


class Streak(ab.State):
    tag: int = -1
    length: int = 0


@ab.operator(by="author")
def match(streak: Streak, post: Post):
    streak.length = streak.length + 1 if post.tag == streak.tag else 1
    streak.tag = post.tag
    if streak.length >= 5:
        yield post


def run(source, target, **options):
    form = target.rstrip("/").rpartition(".")[2]
    posts = getattr(ab, f"read_{form}")(source, Post)
    getattr(posts.apply(match), f"write_{form}")(target).run(**options)
