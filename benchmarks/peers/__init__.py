"""The libraries learnt is measured against, one small function per workload and library."""
