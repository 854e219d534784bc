"""A task of a gang at work: the workers that it has, and its part in how the gang ends.

It ends well when the root has the state behind all events, and badly when it is certain which event
fails first: all tasks work off what stands before that event, and nothing else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from enum import Enum

from anabranch.engine.spark.synchronization.gang import Gang
from anabranch.engine.spark.synchronization.post import Post
from anabranch.errors import RunError
from anabranch.sync.collecting import Collector
from anabranch.sync.messages import END, NEVER, Ask, Done, Down, Events, Up
from anabranch.sync.program import Program
from anabranch.sync.routing import ROOT
from anabranch.sync.updates import Failed, Updates
from anabranch.sync.worker import ENGINE, Sent, workers_of

EVERYONE = -2


class News(Enum):
    """What all tasks are told: that some event fails, so that it matters how far everybody is, and
    that nothing more is to be done."""

    FAILS = "fails"
    END = "end"


class Member:
    """`updates` has those of the workers of this task, by their numbers."""

    def __init__(self, gang: Gang, task: int, program: Program, updates: Mapping[int, Updates],
                 post: Post):
        self.task, self.hosts, self.post = task, gang.hosts, post
        every = workers_of(program, gang.tree, [updates.get(n) for n in range(len(self.hosts))])
        self.workers = {n: worker for n, worker in enumerate(every) if self.hosts[n] == task}
        self.urgent: deque[Sent] = deque()
        self.events: deque[Sent] = deque()
        self.collector = Collector(len(self.hosts))
        self.collector.until = [0 if host == task else NEVER for host in self.hosts]
        # The root's task hears how far everybody is, when that matters.
        self.everybody = Collector(len(self.hosts))
        self.heard: set[News] = set()
        self.state: object = None

    @property
    def has_root(self) -> bool:
        return self.task == self.hosts[ROOT]

    @property
    def fails(self) -> bool:
        return News.FAILS in self.heard

    @property
    def ended(self) -> bool:
        return News.END in self.heard

    def begin(self, state: object) -> None:
        """Gives the root the state, and asks for it behind all events."""
        self.urgent += [(ROOT, Down(state)), (ROOT, Ask(END))]

    def give(self, events: Sequence[tuple[int, Events]]) -> None:
        """Events for the workers here. A worker with others below lets these go on, wherever they
        are, so it is told first."""
        for to, message in events:
            (self.urgent if self.workers[to].children else self.events).append((to, message))

    def hear(self, wait: bool) -> None:
        """Takes in what the other tasks have sent."""
        while not self.ended and (message := self.post.next(wait)) is not None:
            self._take(*message)
            wait = False

    def step(self) -> None:
        """Hands one message to a worker."""
        to, message = (self.urgent or self.events).popleft()
        for sent in self.workers[to].receive(message):
            self._send(*sent)

    def _send(self, to: int, message: object) -> None:
        if isinstance(message, Done):
            self.collector.add(message)
            if message.failure is not None or self.fails:
                self._report(message._replace(outputs=[]))
        elif to == ENGINE or self.hosts[to] == self.task:
            self._take(to, message)
        else:
            self._post(self.hosts[to], to, message)

    def _post(self, task: int, to: int, message: object) -> None:
        try:
            self.post.send(task, (to, message))
        except RunError as error:
            # Before all events: nothing that follows can be told.
            self._send(ENGINE, Done(min(self.workers), [], 0, Failed(0, error)))

    def _report(self, done: Done) -> None:
        """Tells the root's task how far a worker is."""
        if self.has_root:
            self._take(ENGINE, done)
        else:
            self._post(self.hosts[ROOT], ENGINE, done)

    def _take(self, to: int, message: object) -> None:
        if to == EVERYONE:
            self._hear_news(message)
        elif isinstance(message, Done):
            self._judge(message)
        elif isinstance(message, Up) and to == ENGINE:
            self.state = message.state
            self._hear_news(News.END)
        else:
            self.urgent.append((to, message))

    def _judge(self, done: Done) -> None:
        """The root's task, when a worker says how far it is."""
        self.everybody.add(done)
        self._hear_news(News.FAILS)
        if self.everybody.failure is not None:
            self._hear_news(News.END)

    def _hear_news(self, news: News) -> None:
        if news in self.heard:
            return
        self.heard.add(news)
        # Everybody says so: who then hangs up is not missed.
        self.post.tell_all((EVERYONE, news))
        if news is News.FAILS:
            for number in self.workers:
                self._report(Done(number, [], self.collector.until[number]))
