"""A file as a stream of one folder, and a stream as files; the programs of this folder share it."""

import os
import tempfile


def folder_of(source):
    """Spark reads streams from folders: one that has the file, or the files, in it."""
    if os.path.isdir(source):
        return source
    folder = tempfile.mkdtemp(prefix="stream-")
    os.symlink(source, os.path.join(folder, os.path.basename(source)))
    return folder


def written(frame, target):
    """Writes the stream until its input is read, a batch for each file."""
    with tempfile.TemporaryDirectory(prefix="checkpoint-") as checkpoint:
        query = (frame.writeStream.format("csv").option("header", True).outputMode("append")
                 .option("checkpointLocation", checkpoint).trigger(availableNow=True)
                 .start(target))
        query.awaitTermination()
