"""
Experiments of learning theory
==============================

What the textbook claims, tried with the learners of the library. Each experiment prints its figures and says what they
show; ``learnt experiment NAME --html page.html`` runs one on the command line and writes its page.

No free lunch: over all Boolean functions of three inputs, every learner is right on exactly half of the rows that it
has not seen.
"""

from learnt.theory.experiments import (
    accuracy_by_rows,
    bagged_trees,
    bias_variance_of_six_points,
    curse_of_dimensionality,
    double_descent,
    no_free_lunch,
    overfitting_by_depth,
    posterior_over_version_space,
)

found = no_free_lunch()
print(found)
found.plot()

# %%
# The curse of dimensionality: columns of noise make all rows equally far.

found = curse_of_dimensionality()
print(found.answer)
found.plot()

# %%
# Bagged trees: thirty rows, five columns that go together.

found = bagged_trees(bootstraps=100, repeats=4)
print(found.answer)
found.plot()

# %%
# Bias and variance of four models that are fitted to six points.

found = bias_variance_of_six_points()
print(found)
found.plot()

# %%
# Overfitting: a deep tree learns noise by heart.

found = overfitting_by_depth()
print(found.answer)
found.plot()

# %%
# Small trees are best with few rows, larger ones with many.

found = accuracy_by_rows()
print(found.answer)
found.plot()

# %%
# The version space as examples arrive: hypotheses that disagree are struck out, the rest stay equally likely.

found = posterior_over_version_space()
print(found)
found.plot()

# %%
# Double descent: the error peaks where a model just fits all rows, and falls again.

found = double_descent(repeats=3)
print(found.answer)
found.plot()
