"""Complex event detection: five consecutive posts of one author that share a tag."""

import re
from collections.abc import Iterator

import anabranch as ab

POST = re.compile(r"<post><author>(\d+)</author><at>(\d+)</at><text>([^<]*)</text></post>")
TAG = re.compile(r"#(\w+)")
LENGTH = 5


class Post(ab.Record):
    author: int
    at: int
    tags: list[str]


class Runs(ab.State):
    lengths: dict[str, int] = {}


class Found(ab.Record):
    author: int
    tag: str
    at: int
    posts: int


def parsed(text: str) -> Post:
    found = POST.match(text)
    assert found is not None, "a post in XML"
    author, at, content = found.groups()
    return Post(int(author), int(at), sorted(set(TAG.findall(content))))


@ab.operator(by="author")
def match(runs: Runs, post: Post) -> Iterator[Found]:
    """For every tag of the author's last post: how many posts in a row have had it."""
    runs.lengths = {tag: runs.lengths.get(tag, 0) + 1 for tag in post.tags}
    for tag, length in runs.lengths.items():
        if length >= LENGTH:
            yield Found(post.author, tag, post.at, length)


def post(n: int) -> str:
    words = [f"word{ab.noise(n, 9) % 90}"]
    words += [f"#t{tag}" for tag in range(4) if ab.noise(n, tag) % 5 < 3]
    author = ab.noise(n, 7) % 40
    return f"<post><author>{author}</author><at>{n}</at><text>{' '.join(words)}</text></post>"


posts = ab.generate(post, ab.param("rows", 3_000))
posts.map(parsed).apply(match).write_stdout()
