"""
Labour contracts in groups
==========================

Fifty-seven contracts, sixteen columns of all kinds, a third of the cells missing. Three clusters, drawn in the two
directions in which the contracts differ most.
"""

import learnt

contracts = learnt.datasets.load("labor")
terms = contracts.drop("class")
model = learnt.KMeans(3, n_init=10, random_state=0).fit(terms)
axes = learnt.draw_clusters(terms, model)

# %%
# What makes each different from the whole table, in its own columns.

profile = learnt.profile_clusters(terms, model)
axes = profile.plot(most=10)

# %%
# Whether a contract was good or bad for its workers was kept out. The clusters know something of it.

print(learnt.compare_clusters(model.labels_, contracts["class"].labels()))

# %%
# Yet the groups touch each other: rows hardly lie nearer to their own cluster than to the next.

encoded = learnt.OneHotEncoder().fit_transform(learnt.Imputer().fit_transform(terms))
axes = learnt.silhouette(learnt.StandardScaler().fit_transform(encoded), model.labels_).plot()
