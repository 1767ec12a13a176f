"""What `learnt.describe` is made of: sample statistics, summaries of columns, pairs, text and HTML."""
