"""Complex events with Pathway: the posts of each author as one sorted tuple."""

import pathway as pw


class Post(pw.Schema):
    at: int
    author: int
    tag: int


def match(posts) -> list[tuple[int, int]]:
    found, last, length = [], None, 0
    for at, tag in posts:
        length = length + 1 if tag == last else 1
        last = tag
        if length >= 5:
            found.append((at, tag))
    return found


def run(source, target, workers):
    posts = pw.io.csv.read(source, schema=Post, mode="static")
    by_author = posts.groupby(pw.this.author).reduce(
        pw.this.author, of=pw.reducers.sorted_tuple(pw.make_tuple(pw.this.at, pw.this.tag)))
    found = by_author.select(pw.this.author, row=pw.apply(match, pw.this.of)).flatten(pw.this.row)
    pw.io.csv.write(found.select(at=pw.this.row[0], author=pw.this.author, tag=pw.this.row[1]),
                    target)
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
