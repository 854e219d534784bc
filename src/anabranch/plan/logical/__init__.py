"""The logical plan: rewrite rules, regions and their joints. It is the same for every engine."""
