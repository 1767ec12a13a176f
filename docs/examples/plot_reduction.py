"""
Irises in two columns
=====================

Four measurements of each flower, of which two new columns keep nearly all: how large it is, and how wide its sepals are
for that size. The arrows are the old columns; petals' length and width point the same way.
"""

import learnt

irises = learnt.datasets.load("iris")
flowers = irises.drop("class")
model = learnt.PCA(2, standardize=True).fit(flowers)
print(model)
axes = model.biplot(flowers, color=irises["class"].labels())

# %%
# Why the first flower lies where it does: what each of its cells adds to its place along the first component.

print(model.explain(flowers)[0])
