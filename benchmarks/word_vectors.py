"""Word vectors beside gensim's: words a second with two threads each, and quality on texts of a known model.

    python benchmarks/word_vectors.py                     # both texts, skip-gram and CBOW
    python benchmarks/word_vectors.py --text english      # docstrings and documents of installed packages alone

"planted": each document has a direction c, and its words are drawn in proportion to exp(c·v_w + b_w) (Arora et al.
2016). 360 of the words are pairs of an entity and an attribute, v = u_entity + r_attribute and some noise, so that
analogies hold; 2000 more are fillers. Asked for: 2000 analogies (right at the first word), and Spearman's correlation
of the cosines of 20,000 pairs of words with those of the true v. "english": no truth is known; asked for is how often
the plural of one word leads to that of another, and how many of the ten nearest words both programs, and two seeds of
one, have in common.

Both programs see the same words. Times are those of training alone, wall and processor; gensim gets lists of words.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import learnt

ENTITIES, ATTRIBUTES, FILLERS, TRUE_DIMS = 60, 6, 2000, 24


def planted_text(n_documents: int, length: int = 20, seed: int = 0) -> tuple[list[str], np.ndarray, list[str]]:
    rng = np.random.default_rng(seed)
    entities, attributes = rng.normal(size=(ENTITIES, TRUE_DIMS)), rng.normal(size=(ATTRIBUTES, TRUE_DIMS))
    pairs = (entities[:, None] + attributes[None]).reshape(-1, TRUE_DIMS) / np.sqrt(2)
    pairs += 0.15 * rng.normal(size=pairs.shape)
    vectors = np.vstack([pairs, 0.6 * rng.normal(size=(FILLERS, TRUE_DIMS))])
    words = [f"e{i}a{j}" for i in range(ENTITIES) for j in range(ATTRIBUTES)] + [f"f{i}x" for i in range(FILLERS)]
    bias = np.concatenate([np.full(len(pairs), -6.0), -np.log(np.arange(1, FILLERS + 1) + 5)])
    documents = []
    for first in range(0, n_documents, 1000):
        n = min(1000, n_documents - first)
        direction = rng.normal(size=(n, TRUE_DIMS))
        direction *= 2.5 / np.linalg.norm(direction, axis=1, keepdims=True)
        shares = np.cumsum(np.exp(direction @ vectors.T + bias), axis=1)
        for row, draws in zip(shares / shares[:, -1:], rng.random((n, length)), strict=True):
            documents.append(" ".join(words[i] for i in np.searchsorted(row, draws)))
    return words, vectors, documents


def english_text(most: int) -> list[str]:
    """Paragraphs of docstrings and text files of installed packages, each once."""
    roots = [Path(place) for place in sys.path if place.endswith("site-packages")]
    seen: dict[str, None] = {}
    size = 0
    for path in sorted(
        path for root in roots for kind in ("py", "txt", "rst", "md") for path in root.rglob(f"*.{kind}")
    ):
        try:
            text = path.read_text("utf-8")
            found = _docstrings(text) if path.suffix == ".py" else [text]
        except (OSError, UnicodeDecodeError, SyntaxError, ValueError, RecursionError):
            continue
        for paragraph in (part for text in found for part in text.split("\n\n")):
            plain = " ".join(re.findall(r"[a-z]{2,}", paragraph.lower()))
            if plain.count(" ") >= 8 and plain not in seen:
                seen[plain] = None
                size += plain.count(" ") + 1
        if size >= most:
            break
    return list(seen)


def _docstrings(code: str) -> list[str]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(code)) if isinstance(node, kinds)]


def analogy_share(vectors: learnt.WordVectors, n: int = 2000) -> float:
    rng, right = np.random.default_rng(1), 0
    for _ in range(n):
        (i, k), (a, b) = rng.choice(ENTITIES, 2, replace=False), rng.choice(ATTRIBUTES, 2, replace=False)
        right += vectors.analogy(f"e{i}a{a}", f"e{i}a{b}", f"e{k}a{a}") == f"e{k}a{b}"
    return right / n


def rank_correlation(vectors: learnt.WordVectors, words: list[str], truth: np.ndarray) -> float:
    from scipy.stats import spearmanr

    rng = np.random.default_rng(2)
    known = [i for i, word in enumerate(words) if word in vectors]
    unit = truth / np.linalg.norm(truth, axis=1, keepdims=True)
    pairs = rng.choice(known, (20_000, 2))
    expected = (unit[pairs[:, 0]] * unit[pairs[:, 1]]).sum(axis=1)
    found = [vectors.similarity(words[i], words[j]) for i, j in pairs]
    return float(spearmanr(expected, found)[0])


def plural_share(vectors: learnt.WordVectors, n: int = 2000) -> float:
    """How often singular : plural of one word finds the plural of another; words of four letters or more."""
    first = set(vectors.words[:10_000])
    known = [word for word in vectors.words[:5000] if len(word) > 3 and word + "s" in first]
    rng, right = np.random.default_rng(3), 0
    for _ in range(n):
        one, other = rng.choice(len(known), 2, replace=False)
        found = vectors.most_similar([known[one] + "s", known[other]], [known[one]], n=1)[0][0]
        right += found == known[other] + "s"
    return right / n


def common_neighbours(one: learnt.WordVectors, other: learnt.WordVectors, n: int = 500) -> float:
    words = [word for word in one.words[: 2 * n] if word in other][:n]
    near = lambda vectors, word: {found for found, _ in vectors.most_similar(word, n=10)}
    return float(np.mean([len(near(one, word) & near(other, word)) / 10 for word in words]))


Found = tuple[learnt.WordVectors, float, float]  # seconds of wall and of processor time


def own(documents: list[str], method: str, epochs: int, seed: int = 1) -> Found:
    from learnt.prepare.vectors import word2vec

    spent: list[float] = []
    train = word2vec.train_vectors

    def timed(*given: Any) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        found = train(*given)
        spent.extend((time.perf_counter() - wall, time.process_time() - cpu))
        return found

    word2vec.train_vectors = timed
    try:
        model = learnt.Word2Vec(100, method=method, epochs=epochs, random_state=seed).fit(documents)
    finally:
        word2vec.train_vectors = train
    return model.vectors_, spent[0], spent[1]


def peer(documents: list[str], method: str, epochs: int, seed: int = 1) -> Found:
    from gensim.models import Word2Vec

    words = [document.split() for document in documents]
    model = Word2Vec(vector_size=100, sg=int(method == "skip_gram"), workers=2, epochs=epochs, seed=seed)
    model.build_vocab(words)
    wall, cpu = time.perf_counter(), time.process_time()
    model.train(words, total_examples=len(words), epochs=epochs)
    spent = time.perf_counter() - wall, time.process_time() - cpu
    return learnt.WordVectors(model.wv.index_to_key, model.wv.vectors), *spent


def compare(text: str, method: str, documents: list[str], epochs: int, quality: Callable[[Any], str]) -> None:
    n_words, found = epochs * sum(document.count(" ") + 1 for document in documents), []
    for name, learn in (("gensim", peer), ("learnt", own)):
        vectors, wall, cpu = learn(documents, method, epochs)
        speed = f"{n_words / wall / 1e3:6.0f} k words/s, {n_words / cpu / 1e3:6.0f} k words per s of processor time"
        print(f"  {method:9} {name}: {speed}; {quality(vectors)}", flush=True)
        found.append(vectors)
    if text == "english":
        again = own(documents, method, epochs, seed=2)[0]
        print(
            f"  {method:9} of the ten nearest words {common_neighbours(*found):.2f} are gensim's too, "
            f"{common_neighbours(found[1], again):.2f} those of another seed",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Word vectors beside gensim's.")
    parser.add_argument("--text", choices=["planted", "english", "both"], default="both")
    parser.add_argument("--method", choices=["skip_gram", "cbow", "both"], default="both")
    parser.add_argument("--documents", type=int, default=60_000, help="of the planted text")
    parser.add_argument("--words", type=int, default=3_000_000, help="of the English text, at most")
    parser.add_argument("--epochs", type=int, default=5)
    given = parser.parse_args()
    learnt.threads(2)
    for text in ("planted", "english") if given.text == "both" else (given.text,):
        if text == "planted":
            words, truth, documents = planted_text(given.documents)
        else:
            words, truth, documents = [], np.zeros((0, 1)), english_text(given.words)

        def quality(vectors: Any, text: str = text, words: Any = words, truth: Any = truth) -> str:
            if text == "english":
                return f"plurals {plural_share(vectors):.3f}"
            likeness = rank_correlation(vectors, words, truth)
            return f"analogies {analogy_share(vectors):.3f}, rank correlation {likeness:.3f}"

        print(f"{text}: {len(documents)} documents, {given.epochs} epochs", flush=True)
        for method in ("skip_gram", "cbow") if given.method == "both" else (given.method,):
            compare(text, method, documents, given.epochs, quality)


if __name__ == "__main__":
    main()
