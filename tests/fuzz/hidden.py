"""State and effects that hide: where a user keeps something without saying so.

Each gives definitions and an expression of `<int>` and `<str>` whose value, an int, depends on how
often or on what it was evaluated before. Whatever an engine makes of it, the output must be the
sequential one's.
"""

HIDDEN = {
    "global list": ("SEEN = []\ndef remember(x):\n    SEEN.append(x)\n    return len(SEEN)",
                    "remember(<int>)"),
    "global counter": ("COUNT = 0\ndef count_up():\n    global COUNT\n    COUNT += 1\n"
                       "    return COUNT", "count_up()"),
    "global dict": ("TABLE = {}\ndef number_of(x):\n    return TABLE.setdefault(x, len(TABLE))",
                    "number_of(<str>)"),
    "default argument": ("def noted(x, seen=[]):\n    seen.append(x)\n    return len(seen)",
                         "noted(<int>)"),
    "closure": ("def counter():\n    n = 0\n    def step(by):\n        nonlocal n\n"
                "        n += by % 3 + 1\n        return n\n    return step\nSTEP = counter()",
                "STEP(<int>)"),
    "class attribute": ("class Registry:\n    total = 0\n    def add(self, x):\n"
                        "        type(self).total += 1\n        return self.total",
                        "Registry().add(<int>)"),
    "class list": ("class Shared:\n    items = []\n    def get(self, x):\n"
                   "        self.items.append(x)\n        return len(self.items)",
                   "Shared().get(<int>)"),
    "iterator": ("IDS = itertools.count()", "next(IDS)"),
    "cycle": ("ROUND = itertools.cycle([1, 2, 3])", "next(ROUND) + <int>"),
    "generator": ("def _ids():\n    n = 0\n    while True:\n        n += 2\n        yield n\n"
                  "GENERATED = _ids()", "next(GENERATED)"),
    "cache": ("CALLS = []\n@functools.lru_cache(maxsize=2)\ndef slow(x):\n    CALLS.append(x)\n"
              "    return len(CALLS)", "slow(<int>)"),
    "cached list": ("@functools.lru_cache(maxsize=None)\ndef bucket(x):\n    return []",
                    "(bucket(<int> % 3).append(1) or len(bucket(1)))"),
    "property": ("class Meter:\n    reads = 0\n    @property\n    def value(self):\n"
                 "        Meter.reads += 1\n        return Meter.reads\nMETER = Meter()",
                 "METER.value + <int>"),
    "operator method": ("class Tally:\n    n = 0\n    def __add__(self, other):\n"
                        "        Tally.n += 1\n        return Tally.n + other\nTALLY = Tally()",
                        "TALLY + <int>"),
    "truth": ("class Flip:\n    n = 0\n    def __bool__(self):\n        Flip.n += 1\n"
              "        return Flip.n % 2 == 0\nFLIP = Flip()", "1 if FLIP else <int>"),
    "length": ("class Growing:\n    n = 0\n    def __len__(self):\n        Growing.n += 1\n"
               "        return Growing.n\nGROWING = Growing()", "len(GROWING)"),
    "format": ("class Shown:\n    n = 0\n    def __str__(self):\n        Shown.n += 1\n"
               "        return str(Shown.n)\nSHOWN = Shown()", 'int(f"{SHOWN}")'),
    "contains": ("class Once:\n    seen = set()\n    def __contains__(self, x):\n"
                 "        found = x in self.seen\n        self.seen.add(x)\n        return found\n"
                 "ONCE = Once()", "int(<int> in ONCE)"),
    "iteration": ("class Lines:\n    n = 0\n    def __iter__(self):\n        Lines.n += 1\n"
                  "        return iter([Lines.n])\nLINES = Lines()", "sum(LINES)"),
    "getattr": ("class Lazy:\n    def __init__(self):\n        self.made = 0\n"
                "    def __getattr__(self, name):\n        self.made += 1\n"
                "        return self.made\nLAZY = Lazy()", "LAZY.anything + <int>"),
    "equality": ("class Picky:\n    n = 0\n    def __eq__(self, other):\n        Picky.n += 1\n"
                 "        return Picky.n % 3 == 0\n    __hash__ = None\nPICKY = Picky()",
                 "int(PICKY == <int>)"),
    "method by name": ("class Basket:\n    def __init__(self):\n        self.n = 0\n"
                       "    def count(self, x):\n        self.n += 1\n        return self.n\n"
                       "BASKET = Basket()", "BASKET.count(<str>)"),
    "join by name": ("class Glue:\n    def __init__(self):\n        self.n = 0\n"
                     "    def join(self, parts):\n        self.n += len(parts)\n"
                     "        return self.n\nGLUE = Glue()", "GLUE.join([<str>])"),
    "shared dict": ("class Borg:\n    shared = {}\n    def __init__(self):\n"
                    "        self.__dict__ = self.shared\n"
                    "        self.n = getattr(self, 'n', 0) + 1", "Borg().n"),
    "function attribute": ("def tick():\n    tick.n = getattr(tick, 'n', 0) + 1\n"
                           "    return tick.n", "tick()"),
    "partial": ("HEAP = []\nPUSH = functools.partial(heapq.heappush, HEAP)",
                "(PUSH(<int>) or HEAP[0])"),
    "random": ("DICE = random.Random(7)", "DICE.randrange(100)"),
    "deque": ("LAST = deque(maxlen=3)", "(LAST.append(<int>) or sum(LAST))"),
    "chain map": ("BASE = {}\nCHAIN = ChainMap(BASE)",
                  "CHAIN.setdefault(<int> % 5, len(BASE))"),
    "decorator": ("def counted(call):\n    @functools.wraps(call)\n    def wrapper(*given):\n"
                  "        wrapper.calls += 1\n        return call(*given) + wrapper.calls\n"
                  "    wrapper.calls = 0\n    return wrapper\n"
                  "@counted\ndef doubled(x):\n    return x * 2", "doubled(<int>)"),
    "enum value": ("class Color(enum.Enum):\n    RED = []",
                   "(Color.RED.value.append(1) or len(Color.RED.value))"),
    "dataclass default": ("MADE = itertools.count()\n@dataclass\nclass Ticket:\n"
                          "    number: int = field(default_factory=lambda: next(MADE))",
                          "Ticket().number"),
    "str subclass": ("class Loud(str):\n    n = 0\n    def upper(self):\n        Loud.n += 1\n"
                     "        return str(Loud.n)\nLOUD = Loud('a')", "int(LOUD.upper())"),
    "int subclass": ("class Odd(int):\n    n = 0\n    def __add__(self, other):\n"
                     "        Odd.n += 1\n        return Odd.n\nODD = Odd(3)", "ODD + <int>"),
    "shadowed name": ("def length(x):\n    return 1\ndef _counting():\n    n = [0]\n"
                      "    def length(x):\n        n[0] += 1\n        return n[0]\n"
                      "    return length\nSIZES = [_counting()]",
                      "sum(length(<str>) for length in SIZES)"),
    "setattr": ("class Box:\n    pass\nBOX = Box()\nBOX.n = 0\ndef put(x):\n"
                "    setattr(BOX, 'n', BOX.n + 1)\n    return BOX.n", "put(<int>)"),
    "exception": ("class Stop(Exception):\n    raised = 0\ndef attempt(x):\n    try:\n"
                  "        raise Stop(x)\n    except Stop as stop:\n"
                  "        Stop.raised += 1\n        return stop.raised", "attempt(<int>)"),
    "decimal context": ("def precise(x):\n    getcontext().prec = 2 + abs(x) % 5\n"
                        "    return x\ndef third():\n    return len(str(Decimal(1) / Decimal(3)))",
                        "precise(<int> % 9) + third()"),
    "array": ("CELLS = bytearray(4)\ndef bump(x):\n    CELLS[x % 4] = (CELLS[x % 4] + 1) % 256\n"
              "    return CELLS[x % 4]", "bump(<int>)"),
    "helper module": ("", "notes.note(<int>)"),
}

NOTES = ('"""A helper module that remembers."""\n_notes = []\n\n\ndef note(x):\n'
         '    _notes.append(x)\n    return len(_notes)\n')
