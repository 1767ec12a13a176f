// Loops of linear/online/descent.hpp.

// Weights of one unit while rows are met one by one: w = a (v + d·m), m the mean that is taken off sparse rows.
// For the average, Σ_t w_t = A·v − r + D·m, where A = Σ a_t, D = Σ a_t d_t, and r collects what v gained too late
// to have been there in earlier terms.
struct LazyWeights {
    double *v;            // p: the unit's own coefficients
    const double *m;      // p or null
    double *sum;          // p or null: Σ_t w_t so far
    const double *r;      // p, if there is a sum
    int64_t p;
    double a, d, A, D, vm, mm;

    LazyWeights(double *coef, const double *mean, double *total, double *late, int64_t columns)
        : v(coef), m(mean), sum(total), r(late), p(columns), a(1), d(0), A(0), D(0), vm(0), mm(0) {
        if (m) vm = dot(v, m, p), mm = dot(m, m, p);
    }

    // Writes what is kept aside into the weights themselves, and the sum up to date.
    void settle(double *late) {
        if (sum) {
            for (int64_t j = 0; j < p; ++j) sum[j] += A * v[j] - late[j] + (m ? D * m[j] : 0.0);
            std::fill_n(late, p, 0.0);
            A = D = 0;
        }
        for (int64_t j = 0; j < p; ++j) v[j] = a * (v[j] + (m ? d * m[j] : 0.0));
        a = 1, d = 0;
        if (m) vm = dot(v, m, p);
    }
};

// A weight moved towards 0, never across, by what is owed of the L1 penalty and not paid yet.
LEARNT_INLINE double pay(double weight, double owed, double paid) {
    if (weight > 0) return std::max(0.0, weight - (owed + paid));
    return weight < 0 ? std::min(0.0, weight + (owed - paid)) : 0.0;
}

template <class Rows>
void descend_each_row(const Rows &x, const double *mean, const Truth &truth, const Course &course,
                      const DescentSettings &s, int32_t unit, const Units &to, Job &job) {
    const int64_t p = x.columns();
    double *const sum = to.coef_sum ? to.coef_sum + unit * p : nullptr;
    const Buffer<double> late(sum ? p : 0, 0.0);
    LazyWeights w(to.coef + unit * p, mean, sum, late.data(), p);
    const double l2 = s.alpha * (1 - s.l1_ratio), l1 = s.alpha * s.l1_ratio;
    const Buffer<double> paid(l1 > 0 ? p : 0, 0.0);  // of the L1 penalty, signed
    double owed = 0, b = to.intercept[unit], b_sum = 0, loss = 0;
    Upcoming upcoming(course);
    for (int64_t step = 0; step < course.count; ++step) {
        if (step % 256 == 0) job.check();
        const int64_t i = truth.values ? upcoming.next(x, truth.values) : upcoming.next(x, truth.codes);
        const double y = truth.of(i, unit), c = course.weight(i);
        const auto row = x.row(i);
        const double xm = w.m ? x.times(row, w.m) : 0.0;
        const double f = b + w.a * (x.times(row, w.v) + w.d * (xm - w.mm) - w.vm);
        loss += c * s.loss.value(f, y);
        const double g = c * s.loss.slope(f, y), eta = s.rate.at(s.first_step + static_cast<double>(step) + 1);
        w.a *= std::max(0.0, 1 - eta * l2);
        if (w.a < 1e-9) w.settle(late.data());
        if (g != 0) {
            const double factor = -eta * g / w.a;
            x.add(factor, row, w.v);
            if (w.m) w.vm += factor * xm, w.d -= factor;
            if (sum) x.add(factor * w.A, row, late.data());
            if (s.intercept) b -= eta * g;
        }
        if (l1 > 0) {
            owed += eta * l1;
            x.each(row, [&](int64_t j) {
                const double before = w.a * w.v[j], after = pay(before, owed, paid[j]);
                if (after == before) return;
                paid[j] += after - before;
                w.v[j] = after / w.a;
                if (sum) late[j] += (after - before) / w.a * w.A;
            });
        }
        w.A += w.a, w.D += w.a * w.d, b_sum += b;
    }
    w.settle(late.data());
    if (l1 > 0)
        for (int64_t j = 0; j < p; ++j) w.v[j] = pay(w.v[j], owed, paid[j]);
    to.intercept[unit] = b;
    if (sum) to.intercept_sum[unit] += b_sum;
    to.loss[unit] += loss;
}

template <class Real>
void descend_dense_rows(Matrix<const Real> x, const double *shift, const double *scale, double *z, const Truth &truth,
                        const Course &course, const DescentSettings &s, int32_t unit, const Units &to, Job &job) {
    descend_each_row(DenseRows<Real>{x, shift, scale, z}, nullptr, truth, course, s, unit, to, job);
}
template <class Real>
void descend_sparse_rows(const Csr<Real> &x, const double *mean, const Truth &truth, const Course &course,
                         const DescentSettings &s, int32_t unit, const Units &to, Job &job) {
    descend_each_row(SparseRows<Real>{x}, mean, truth, course, s, unit, to, job);
}

template <class Rows>
void descend_each_batch(const Rows &x, const double *mean, const Truth &truth, const Course &course, Range part,
                        const DescentSettings &s, int32_t unit, const Units &to, Job &job) {
    const int64_t p = x.columns();
    Upcoming upcoming(course, part.first);
    double *const w = to.coef + unit * p, *const speed = to.speed + unit * (p + 1), *const scale = to.scale + unit * (p + 1);
    double &b = to.intercept[unit];
    const Buffer<double> gradient(p + 1), point(p);
    const bool looks_ahead = s.optimizer == Optimizer::nesterov;
    const double *const at = looks_ahead ? point.data() : w;
    const double l2 = s.alpha * (1 - s.l1_ratio), l1 = s.alpha * s.l1_ratio;
    double t = s.first_step;
    for (int64_t first = part.first, last = first; first < part.last; first = last) {
        last = first + std::min(s.batch_size, part.last - first);
        std::fill_n(gradient.data(), p + 1, 0.0);
        double b_at = b;
        if (looks_ahead) {
            for (int64_t j = 0; j < p; ++j) point[j] = w[j] + s.momentum * speed[j];
            b_at += s.momentum * speed[p];
        }
        const double away = mean ? dot(mean, at, p) : 0.0;
        for (int64_t i = first; i < last; ++i) {
            if (i % 256 == 0) job.check();
            const int64_t r = truth.values ? upcoming.next(x, truth.values) : upcoming.next(x, truth.codes);
            const auto row = x.row(r);
            const double f = b_at + x.times(row, at) - away, y = truth.of(r, unit), c = course.weight(r);
            const double g = c * s.loss.slope(f, y);
            to.loss[unit] += c * s.loss.value(f, y);
            gradient[p] += g;
            if (g != 0) x.add(g, row, gradient.data());
        }
        if (mean) add_multiple(-gradient[p], mean, gradient.data(), p);
        const double share = 1.0 / static_cast<double>(last - first);
        for (int64_t j = 0; j <= p; ++j) gradient[j] *= share;
        if (!s.intercept) gradient[p] = 0;
        add_multiple(l2, at, gradient.data(), p);
        t += 1;
        const double eta = s.rate.at(t), mu = s.momentum;
        const double young = 1 - std::pow(0.9, t), young_scale = 1 - std::pow(0.999, t);
        const auto move = [&](int64_t j, double &weight) {
            const double g = gradient[j];
            if (s.optimizer == Optimizer::plain) {
                weight -= eta * g;
            } else if (s.optimizer == Optimizer::adam) {
                speed[j] = 0.9 * speed[j] + 0.1 * g;
                scale[j] = 0.999 * scale[j] + 0.001 * g * g;
                weight -= eta * speed[j] / young / (std::sqrt(scale[j] / young_scale) + 1e-8);
            } else {
                weight += speed[j] = mu * speed[j] - eta * g;
            }
        };
        for (int64_t j = 0; j < p; ++j) {
            move(j, w[j]);
            if (l1 > 0) w[j] = w[j] > 0 ? std::max(0.0, w[j] - eta * l1) : std::min(0.0, w[j] + eta * l1);
        }
        if (s.intercept) move(p, b);
        if (to.coef_sum) {
            add_multiple(1.0, w, to.coef_sum + unit * p, p);
            to.intercept_sum[unit] += b;
        }
    }
}

template <class Real>
void descend_dense_batches(Matrix<const Real> x, const double *shift, const double *scale, double *z,
                           const Truth &truth, const Course &course, Range part, const DescentSettings &s, int32_t unit,
                           const Units &to, Job &job) {
    descend_each_batch(DenseRows<Real>{x, shift, scale, z}, nullptr, truth, course, part, s, unit, to, job);
}
template <class Real>
void descend_sparse_batches(const Csr<Real> &x, const double *mean, const Truth &truth, const Course &course,
                            Range part, const DescentSettings &s, int32_t unit, const Units &to, Job &job) {
    descend_each_batch(SparseRows<Real>{x}, mean, truth, course, part, s, unit, to, job);
}
