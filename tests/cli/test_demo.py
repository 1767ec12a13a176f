"""`make demo`: the commands it shows run, and the report is left where it was asked for."""

from __future__ import annotations

from learnt import demo


def test_the_demo_compares_trains_explains_and_leaves_the_report(tmp_path, capfd, monkeypatch):
    run, lines = demo.run, []

    def quicker(words):
        lines.append(words[0])
        few = ["--learners", "MajorityClassifier,C45Classifier", "--cv", "3"] if words[0] == "compare" else []
        run([*words, *few])

    monkeypatch.setattr(demo, "run", quicker)
    page = tmp_path / "demo.html"
    demo.main(str(page))
    told = capfd.readouterr().out
    assert lines == ["compare", "train", "explain"]
    assert "$ learnt compare dataset:vote --report demo.html" in told
    assert "Most accurate: C45Classifier, with an accuracy of 0.9" in " ".join(told.split())
    assert "physician-fee-freeze = 'y'" in told
    assert told.rstrip().endswith("Open it in a browser.")
    assert page.read_text("utf-8").lower().startswith("<!doctype html>")
