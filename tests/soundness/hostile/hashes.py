# ruff: noqa
"""What `__hash__` gives is seen by nobody in a dict or a set; anywhere else it differs from run to run."""

import operator


class Kept:
    def __init__(self, w):
        self.w = w
    def __eq__(self, o):
        return self.w == o.w
    def __hash__(self):
        self.h = hash(self.w)
        return self.h


def map_kept(t):
    k = Kept(t.word)
    len({k})
    return k.h


class Word:
    def __init__(self, w):
        self.w = w
    def __eq__(self, o):
        return self.w == o.w
    def __hash__(self):
        return hash(self.w)
    def show(self):
        return self.__hash__()


def map_shown(t):
    return (len({Word(t.word)}), Word(t.word).show())[1]


def map_of_class(t):
    return ({Word(t.word)}, Word.__hash__(Word(t.word)))[1]


def map_methodcaller(t):
    return (len({Word(t.word)}), operator.methodcaller("__hash__")(Word(t.word)))[1]


def map_order(t):
    return [v.w for v in {Word(t.word), Word("b"), Word("c")}]


def __hash__(x):
    return hash(x)


def map_named(t):
    return (len({Word(t.word)}), __hash__(t.word))[1]


class Raised(Word):
    def __hash__(self):
        return super().__hash__()
    def peek(self):
        return super().__hash__()


def map_super(t):
    return (len({Raised(t.word)}), Raised(t.word).peek())[1]
