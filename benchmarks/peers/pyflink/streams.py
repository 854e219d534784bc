"""Lines of a file as a keyed stream through a function with state; programs of this folder share
it."""

import sys

from pyflink.common import Configuration, Encoder, Types, WatermarkStrategy
from pyflink.datastream import StreamExecutionEnvironment
from pyflink.datastream.connectors.file_system import FileSink, FileSource, StreamFormat


def through(function, source, target, workers):
    """All lines have one key: what one event changes, all others see."""
    settings = Configuration()
    settings.set_string("parallelism.default", str(workers))
    flow = StreamExecutionEnvironment.get_execution_environment(settings)
    flow.set_python_executable(sys.executable)
    lines = flow.from_source(
        FileSource.for_record_stream_format(StreamFormat.text_line_format(), source).build(),
        WatermarkStrategy.no_watermarks(), "lines")
    told = lines.key_by(lambda line: 0, Types.INT()).process(function, Types.STRING())
    told.sink_to(FileSink.for_row_format(target, Encoder.simple_string_encoder()).build())
    flow.execute()
