"""Text in columns: blocks of rows, scanned and written by compiled loops, of CSV and JSON."""
