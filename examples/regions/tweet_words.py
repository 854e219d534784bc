"""Text statistics of tweets: the words of each, their lengths, and the mean length."""

import re

import anabranch as ab

VOCABULARY = ("river", "stream", "the", "a", "flows", "joins", "arm", "delta", "of", "sees",
              "Monday", "coffee", "don't", "naïve", "42", "re-joins")
WORD = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")
ENDINGS = ("ing", "ies", "es", "s", "ed")


class Tweet(ab.Record):
    at: int
    text: str


class Words(ab.Record):
    at: int
    words: list[str]
    lengths: list[int]
    mean: float


def stem(word: str) -> str:
    """The word in small letters without its ending, if something of it remains."""
    small = word.lower()
    for ending in ENDINGS:
        if small.endswith(ending) and len(small) > len(ending) + 2:
            return small[:-len(ending)]
    return small


def statistics(t: Tweet) -> Words:
    words = [stem(word) for word in WORD.findall(t.text)]
    lengths = [len(word) for word in words]
    return Words(t.at, words, lengths, sum(lengths) / len(lengths) if lengths else 0.0)


def tweet(n: int) -> Tweet:
    words = [VOCABULARY[ab.noise(n, seed) % len(VOCABULARY)] for seed in range(ab.noise(n) % 20)]
    return Tweet(n, " ".join(words) + "!" * (n % 3))


tweets = ab.generate(tweet, ab.param("rows", 2_000))
tweets.map(statistics).write_stdout(format="jsonl")
