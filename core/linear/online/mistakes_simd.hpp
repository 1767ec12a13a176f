// Loops of linear/online/mistakes.hpp.

template <class Rows>
void perceptron_rows(const Rows &x, const double *mean, const int32_t *codes, const Course &course, int64_t first,
                     bool one, double eta, bool intercept, int32_t unit, const PerceptronUnits &to, Job &job) {
    const int64_t p = x.columns();
    Upcoming upcoming(course, first);
    double *const w = to.coef + unit * p, *const late = to.late ? to.late + unit * p : nullptr;
    double &b = to.intercept[unit], &time = to.time[unit];
    double off = 0, off_late = 0, w_mean = mean ? dot(w, mean, p) : 0;
    const double square = mean ? dot(mean, mean, p) : 0;
    int64_t step = first;
    for (bool stop = false; step < course.count && !stop; ++step) {
        if (step % 256 == 0) job.check();
        const int64_t i = upcoming.next(x, codes);
        const double y = codes[i] == unit ? 1.0 : -1.0;
        const auto row = x.row(i);
        const double x_mean = mean ? x.times(row, mean) : 0;
        double visits = course.weight(i);
        for (; visits > 0; visits -= 1) {
            double score = b + x.times(row, w);
            if (mean) score += off * (square - x_mean) - w_mean;
            if (y * score > 0) break;
            const double part = std::min(visits, 1.0), change = eta * part * y;
            ++to.mistakes[unit];
            if (to.counts) to.counts[unit * course.total + i] += part;
            if (to.counts_late) to.counts_late[unit * course.total + i] += part * time;
            if (late) {
                x.add(change * time, row, late);
                off_late += change * time;
                if (intercept) to.intercept_late[unit] += change * time;
            }
            x.add(change, row, w);
            off += change;
            w_mean += change * x_mean;
            if (intercept) b += change;
            time += part;
            stop = one;
            if (!intercept && x.square(row) == 0) {  // nothing moves: it stays wrong however often it is shown
                visits = 0;
                break;
            }
        }
        time += std::max(visits, 0.0);
    }
    if (mean) add_multiple(-off, mean, w, p);
    if (mean && late) add_multiple(-off_late, mean, late, p);
    if (to.next) to.next[unit] = step;
}

template <class Real>
void dense_perceptron(Matrix<const Real> x, const double *shift, const double *scale, double *z, const int32_t *codes,
                      const Course &course, int64_t first, bool one, double eta, bool intercept, int32_t unit,
                      const PerceptronUnits &to, Job &job) {
    perceptron_rows(DenseRows<Real>{x, shift, scale, z}, nullptr, codes, course, first, one, eta, intercept, unit, to,
                    job);
}
template <class Real>
void sparse_perceptron(const Csr<Real> &x, const double *mean, const int32_t *codes, const Course &course,
                       int64_t first, bool one, double eta, bool intercept, int32_t unit, const PerceptronUnits &to,
                       Job &job) {
    perceptron_rows(SparseRows<Real>{x}, mean, codes, course, first, one, eta, intercept, unit, to, job);
}

inline void kernel_perceptron(Matrix<const double> gram, const int32_t *codes, const Course &course, int64_t first,
                              bool one, int32_t unit, const KernelUnits &to, Job &job) {
    const int64_t n = gram.rows;
    Upcoming upcoming(course, first);
    double *const f = to.scores + unit * n, &time = to.time[unit];
    int64_t step = first;
    for (bool stop = false; step < course.count && !stop; ++step) {
        if (step % 256 == 0) job.check();
        const int64_t i = upcoming.next();
        const double y = codes[i] == unit ? 1.0 : -1.0;
        double visits = course.weight(i);
        for (; visits > 0; visits -= 1) {
            if (y * f[i] > 0) break;
            const double part = std::min(visits, 1.0);
            ++to.mistakes[unit];
            to.counts[unit * n + i] += part;
            to.counts_late[unit * n + i] += part * time;
            add_multiple(part * y, gram.row(i), f, n);
            time += part;
            stop = one;
            if (gram(i, i) == 0) {
                visits = 0;
                break;
            }
        }
        time += std::max(visits, 0.0);
    }
    if (to.next) to.next[unit] = step;
}
