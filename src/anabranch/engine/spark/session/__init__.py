"""What runs Spark: a context, its Java, its Python workers, or Spark Connect."""
