"""
Congress in two numbers
=======================

Sixteen votes of each member of Congress, of which an autoencoder keeps two numbers. It was not told the parties, which
lie apart all the same.
"""

import learnt

vote = learnt.datasets.load("vote")
votes = vote.drop("Class")
model = learnt.Autoencoder(2, noise_level=0.1).fit(votes)
axes = model.plot(votes, color=vote["Class"].labels())

# %%
# How much of each vote the two numbers know: the error of the code beside that of giving back the average member.

print(model)

# %%
# The member whose votes fit the others' least, and which of them do not.

print(model.explain(votes)[int(model.score_samples(votes).argmin())])
