"""Programs in their own languages: applications of the papers, Sawzall, StreamIt, CQL.

    applications    the papers' applications from end to end with more and more workers
    calibration     the query log analyzer in Sawzall on Spark, against PySpark by hand
    lines           the query log analyzer in Sawzall, against a plain Python loop
    radio           FM radio of ten bands in StreamIt, against the same in NumPy
    windows         a tuple in CQL whose window holds few tuples or many, at the same rate
"""
