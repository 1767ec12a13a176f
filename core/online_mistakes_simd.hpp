// Loops of online_mistakes.hpp.

template <class Rows>
void perceptron_rows(const Rows &x, const int32_t *codes, const Course &course, int64_t first, bool one, double eta,
                     bool intercept, int32_t unit, const PerceptronUnits &to, Job &job) {
    const int64_t p = x.columns();
    Upcoming upcoming(course, first);
    double *const w = to.coef + unit * p, *const late = to.late ? to.late + unit * p : nullptr;
    double &b = to.intercept[unit], &time = to.time[unit];
    int64_t step = first;
    for (bool stop = false; step < course.count && !stop; ++step) {
        if (step % 256 == 0) job.check();
        const int64_t i = upcoming.next(x, codes);
        const double y = codes[i] == unit ? 1.0 : -1.0;
        const auto row = x.row(i);
        double visits = course.weight(i);
        for (; visits > 0; visits -= 1) {
            if (y * (b + x.times(row, w)) > 0) break;
            const double part = std::min(visits, 1.0), change = eta * part * y;
            ++to.mistakes[unit];
            if (to.counts) to.counts[unit * course.total + i] += part;
            if (late) {
                x.add(change * time, row, late);
                if (intercept) to.intercept_late[unit] += change * time;
            }
            x.add(change, row, w);
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
    if (to.next) to.next[unit] = step;
}

template <class Real>
void dense_perceptron(Matrix<const Real> x, const double *shift, const double *scale, double *z, const int32_t *codes,
                      const Course &course, int64_t first, bool one, double eta, bool intercept, int32_t unit,
                      const PerceptronUnits &to, Job &job) {
    perceptron_rows(DenseRows<Real>{x, shift, scale, z}, codes, course, first, one, eta, intercept, unit, to, job);
}
template <class Real>
void sparse_perceptron(const Csr<Real> &x, const int32_t *codes, const Course &course, int64_t first, bool one,
                       double eta, bool intercept, int32_t unit, const PerceptronUnits &to, Job &job) {
    perceptron_rows(SparseRows<Real>{x}, codes, course, first, one, eta, intercept, unit, to, job);
}

inline void kernel_perceptron(Matrix<const double> gram, const int32_t *codes, const Course &course, double eta,
                              int32_t unit, double *scores, double *counts, int64_t *mistakes, Job &job) {
    const int64_t n = gram.rows;
    Upcoming upcoming(course);
    double *const f = scores + unit * n;
    for (int64_t step = 0; step < course.count; ++step) {
        if (step % 256 == 0) job.check();
        const int64_t i = upcoming.next();
        const double y = codes[i] == unit ? 1.0 : -1.0;
        for (double visits = course.weight(i); visits > 0; visits -= 1) {
            if (y * f[i] > 0) break;
            const double part = std::min(visits, 1.0);
            ++mistakes[unit];
            counts[unit * n + i] += part;
            add_multiple(eta * part * y, gram.row(i), f, n);
            if (gram(i, i) == 0) break;
        }
    }
}
