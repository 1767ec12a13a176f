"""EM as a textbook would write it down: row by row, one component after another."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal


def plain_full_step(x, weight, mean, covariance, blur=None):
    """One round for Gaussians with full covariances; NaN cells are filled by their conditional moments.

    `blur` is a diagonal matrix of noise that every cell is taken to have. Returns the parameters and Σ log p.
    """
    n, p = x.shape
    k = len(weight)
    blur = np.zeros((p, p)) if blur is None else blur
    l, filled, extra = np.zeros((n, k)), np.zeros((n, k, p)), np.zeros((n, k, p, p))
    for i in range(n):
        o = ~np.isnan(x[i])
        m = ~o
        for c in range(k):
            s = covariance[c]
            l[i, c] = np.log(weight[c])
            filled[i, c] = mean[c]
            extra[i, c] = s if not o.any() else 0.0
            if not o.any():
                continue
            inverse = np.linalg.inv(s[np.ix_(o, o)])
            l[i, c] += multivariate_normal(mean[c][o], s[np.ix_(o, o)]).logpdf(x[i, o])
            l[i, c] -= 0.5 * np.trace(inverse @ blur[np.ix_(o, o)])
            along = s[np.ix_(m, o)] @ inverse
            filled[i, c][o] = x[i, o]
            filled[i, c][m] += along @ (x[i, o] - mean[c][o])
            extra[i, c][np.ix_(m, m)] = s[np.ix_(m, m)] - along @ s[np.ix_(o, m)]
            whole = np.zeros((p, o.sum()))
            whole[o], whole[m] = np.eye(o.sum()), along
            extra[i, c] += whole @ blur[np.ix_(o, o)] @ whole.T
    log_p = logsumexp(l, axis=1)
    r = np.exp(l - log_p[:, None])
    new_mean = np.array([np.average(filled[:, c], axis=0, weights=r[:, c]) for c in range(k)])
    new_covariance = np.zeros_like(covariance)
    for c in range(k):
        d = filled[:, c] - new_mean[c]
        new_covariance[c] = np.average(d[:, :, None] * d[:, None, :] + extra[:, c], axis=0, weights=r[:, c])
    return r.mean(axis=0), new_mean, new_covariance, log_p.sum()


def plain_class_step(x, codes, weight, mean, variance, tables, rules):
    """One round for latent classes: `tables` are one array of probabilities (classes × categories) per column.

    `rules` are blur (per number), rows of prior and their variance (per number), and smoothing with the frequencies
    of each column. Returns the parameters and the objective before the step.
    """
    blur, rows, target, smoothing, frequency = rules
    n, k = len(x), len(weight)
    l = np.zeros((n, k))
    for i in range(n):
        for c in range(k):
            l[i, c] = np.log(weight[c])
            for j in np.flatnonzero(~np.isnan(x[i])):
                v = variance[c, j]
                l[i, c] -= 0.5 * (np.log(2 * np.pi * v) + ((x[i, j] - mean[c, j]) ** 2 + blur[j]) / v)
            for m in np.flatnonzero(codes[i] >= 0):
                l[i, c] += np.log(tables[m][c, codes[i, m]])
    log_p = logsumexp(l, axis=1)
    r = np.exp(l - log_p[:, None])
    objective = log_p.sum() - 0.5 * rows * (np.log(variance) + target / variance).sum()
    objective += sum(
        smoothing * (f * np.log(np.where(f > 0, t, 1.0))).sum() for f, t in zip(frequency, tables, strict=True)
    )
    new_mean, new_variance = mean.copy(), variance.copy()
    for c in range(k):
        for j in range(x.shape[1]):
            there = ~np.isnan(x[:, j])
            cells, w = x[there, j], r[there, c]
            new_mean[c, j] = w @ cells / w.sum()
            squares = w @ (cells - new_mean[c, j]) ** 2 + blur[j] * w.sum()
            new_variance[c, j] = (squares + rows * target[j]) / (w.sum() + rows)
    new_tables = []
    for m, f in enumerate(frequency):
        counts = np.array([[r[codes[:, m] == level, c].sum() for level in range(len(f))] for c in range(k)])
        more = counts + smoothing * f
        new_tables.append(more / more.sum(axis=1, keepdims=True))
    return r.mean(axis=0), new_mean, new_variance, new_tables, objective
