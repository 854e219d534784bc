"""Ten rows: what is left is starting up."""

import anabranch as ab

ab.generate(lambda i: i * i, 10).map(lambda n: n + 1).write_stdout()
