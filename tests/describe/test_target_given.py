"""The target may be given as the second argument, as everywhere."""

import learnt

IRIS = learnt.datasets.load("iris")


def test_the_target_is_the_second_argument():
    frame = IRIS.to_pandas()
    assert str(learnt.describe(frame, "class")) == str(learnt.describe(frame, target="class"))
    assert learnt.describe(frame, "class").target == "class"


def test_a_clusterer_may_come_before_or_after_the_table():
    numbers = IRIS.drop("class")
    model = learnt.KMeans(3).fit(numbers)
    assert str(learnt.profile_clusters(model, numbers)) == str(learnt.profile_clusters(numbers, model))
    one, other = learnt.draw_clusters(model, numbers), learnt.draw_clusters(numbers, model)
    texts = [[text.get_text() for text in ax.get_legend().get_texts()] for ax in (one, other)]
    assert texts[0] == texts[1]
