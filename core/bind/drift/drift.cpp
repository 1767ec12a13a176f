// Change in a stream of numbers: what is known so far, and what the next values say.
#include "bind/options.hpp"
#include "drift/detectors.hpp"

namespace learnt::bind {
namespace {

int64_t state_size(const DriftOptions &o) {
    switch (o.method) {
        case DriftMethod::ddm: return ErrorRate::state_size;
        case DriftMethod::eddm: return ErrorDistance::state_size;
        case DriftMethod::page_hinkley: return DeviationSum::state_size;
        default: return AdaptiveWindow::state_size_of(o);
    }
}

void check(const DriftOptions &o) {
    if (o.clock < 1 || o.window < 1 || o.buckets < 2 || o.buckets > 1000) refuse("ADWIN needs clock ≥ 1, window ≥ 1, buckets 2 … 1000.");
}

// Counts of a state that was stored are places in it.
void check_state(const double *s, const DriftOptions &o) {
    if (o.method != DriftMethod::adwin) return;
    bool sound = s[0] >= 0 && s[0] < 9e15 && s[4] >= 1 && s[4] <= AdaptiveWindow::most_rows && s[4] == std::floor(s[4]);
    for (int64_t r = 0; r < AdaptiveWindow::most_rows && sound; ++r) {
        const double held = s[AdaptiveWindow::head + r * AdaptiveWindow::row_size(o)];
        sound = held >= 0 && held <= static_cast<double>(o.buckets) && held == std::floor(held);
    }
    if (!sound) refuse("'state' is not one of this detector.");
}

template <class Detector>
void run(const double *values, int64_t n, double *s, const DriftOptions &o, uint8_t *out) {
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<uint8_t>(Detector::step(s, values[i], o));
}

}  // namespace

void bind_drift(nb::module_ &m) {
    bind_options<DriftOptions>(m, "DriftOptions", "How change in a stream is found.",
                               field("method", &DriftOptions::method, {"adwin", "ddm", "eddm", "page_hinkley"}),
                               field("least", &DriftOptions::least), field("warning", &DriftOptions::warning),
                               field("drift", &DriftOptions::drift), field("delta", &DriftOptions::delta),
                               field("fading", &DriftOptions::fading), field("up", &DriftOptions::up),
                               field("down", &DriftOptions::down), field("clock", &DriftOptions::clock),
                               field("buckets", &DriftOptions::buckets), field("window", &DriftOptions::window));
    m.def(
        "drift_state_size",
        [](const DriftOptions &o) {
            check(o);
            return state_size(o);
        },
        nb::arg("options"), "How many numbers a detector remembers.");
    m.def(
        "start_drift",
        [](const DriftOptions &o, const Out<double> &state) {
            check(o);
            double *s = vector("state", state, state_size(o));
            switch (o.method) {
                case DriftMethod::ddm: return ErrorRate::reset(s);
                case DriftMethod::eddm: return ErrorDistance::reset(s);
                case DriftMethod::page_hinkley: return DeviationSum::reset(s);
                default: return AdaptiveWindow::reset(s, o);
            }
        },
        nb::arg("options"), nb::arg("state").noconvert(), "state = that of a detector that has seen nothing.");
    m.def(
        "find_drift",
        [](const DriftOptions &o, const In<double> &values, const Out<double> &state, const Out<uint8_t> &out) {
            check(o);
            double *s = vector("state", state, state_size(o));
            check_state(s, o);
            const int64_t n = size(values);
            const double *x = data("values", values);
            uint8_t *said = vector("out", out, n);
            const nb::gil_scoped_release unlocked;
            switch (o.method) {
                case DriftMethod::ddm: return run<ErrorRate>(x, n, s, o, said);
                case DriftMethod::eddm: return run<ErrorDistance>(x, n, s, o, said);
                case DriftMethod::page_hinkley: return run<DeviationSum>(x, n, s, o, said);
                default: return run<AdaptiveWindow>(x, n, s, o, said);
            }
        },
        nb::arg("options"), nb::arg("values").noconvert(), nb::arg("state").noconvert(), nb::arg("out").noconvert(),
        "out = 0, 1 for a warning, 2 for a drift, at each value; the state goes on.");
}

}  // namespace learnt::bind
