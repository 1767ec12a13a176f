"""Classes by what stands for them: means, central rows, rectangles."""
