"""A batch job: the driver makes RDDs of segments, tasks take slices through their stages."""
