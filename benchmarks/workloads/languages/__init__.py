"""Programs in their own languages: Sawzall, StreamIt, CQL.

    applications.py  The papers' applications from end to end, with more and more workers
    calibration.py   The query log analyzer in Sawzall on Spark, against PySpark by hand
    lines.py         The query log analyzer in Sawzall, against a plain Python loop
    radio.py         FM radio of ten bands in StreamIt, against the same computation in NumPy
    windows.py       What a tuple costs a CQL query whose window holds few tuples, or many
"""
