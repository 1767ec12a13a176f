// Detectors of change in a stream of numbers. Each keeps what it knows in a row of doubles, so that a detector can be
// saved between two values; `step` takes one value and says nothing, warning or drift. After a drift it starts anew.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace learnt {

enum class Drift : uint8_t { none, warning, drift };
enum class DriftMethod { adwin, ddm, eddm, page_hinkley };

struct DriftOptions {
    DriftMethod method = DriftMethod::adwin;
    double least = 30;      // values (EDDM: errors too) before anything is said
    double warning = 2;     // DDM: standard deviations; EDDM: the ratio below which it warns
    double drift = 3;       // the same for a drift; Page–Hinkley: the height of the sum
    double delta = 0.005;   // Page–Hinkley: change that is let pass; ADWIN: chance of a false alarm at each cut
    double fading = 1;      // Page–Hinkley: how much of the sum is kept from value to value
    bool up = true;         // Page–Hinkley: look for rises
    bool down = true;       // and for falls
    int64_t clock = 32;     // ADWIN: look for cuts after so many values
    int64_t buckets = 5;    // ADWIN: of a size before two are joined
    int64_t window = 5;     // ADWIN: the least part of a cut
};

// Gama et al. 2004: the error rate and its standard deviation against those of the best moment so far.
struct ErrorRate {
    static constexpr int64_t state_size = 5;  // n, mean, best mean, best deviation, drifted
    static void reset(double *s) {
        std::fill_n(s, state_size, 0.0);
        s[2] = s[3] = std::numeric_limits<double>::infinity();
    }
    static Drift step(double *s, double x, const DriftOptions &o) {
        if (s[4] > 0) reset(s);
        s[0] += 1;
        s[1] += (x - s[1]) / s[0];
        const double deviation = std::sqrt(std::max(0.0, s[1] * (1 - s[1])) / s[0]), now = s[1] + deviation;
        if (!(s[0] > o.least)) return Drift::none;
        if (now <= s[2] + s[3]) s[2] = s[1], s[3] = deviation;
        if (now > s[2] + o.drift * s[3]) {
            s[4] = 1;
            return Drift::drift;
        }
        return now > s[2] + o.warning * s[3] ? Drift::warning : Drift::none;
    }
};

// Baena-García et al. 2006: how far errors are apart, against the farthest so far.
struct ErrorDistance {
    static constexpr int64_t state_size = 8;  // n, last error, errors, mean distance, squares, farthest, warned, drifted
    static void reset(double *s) {
        std::fill_n(s, state_size, 0.0);
        s[5] = -1;
    }
    static Drift step(double *s, double x, const DriftOptions &o) {
        if (s[7] > 0) reset(s);
        s[0] += 1;
        if (x != 0) {
            s[2] += 1;
            const double distance = s[0] - s[1], before = s[3];
            s[3] += (distance - s[3]) / s[2];
            s[4] += (distance - before) * (distance - s[3]);
            if (s[0] > o.least) {
                const double far = s[3] + 2 * std::sqrt(s[2] > 1 ? s[4] / (s[2] - 1) : 0.0);
                if (far > s[5]) {
                    s[5] = far;
                } else if (s[2] > o.least) {
                    s[7] = far / s[5] < o.drift;
                    s[6] = far / s[5] < o.warning;
                }
            }
            s[1] = s[0];
        }
        return s[7] > 0 ? Drift::drift : s[6] > 0 ? Drift::warning : Drift::none;
    }
};

// Page 1954, Hinkley 1971: the sum of deviations from the mean, against its lowest and its highest point.
struct DeviationSum {
    static constexpr int64_t state_size = 7;  // n, mean, sum up, lowest, sum down, highest, drifted
    static void reset(double *s) {
        std::fill_n(s, state_size, 0.0);
        s[3] = std::numeric_limits<double>::infinity();
        s[5] = -s[3];
    }
    static Drift step(double *s, double x, const DriftOptions &o) {
        if (s[6] > 0) reset(s);
        s[0] += 1;
        s[1] += (x - s[1]) / s[0];
        const double off = x - s[1];
        s[2] = o.fading * s[2] + off - o.delta;
        s[4] = o.fading * s[4] + off + o.delta;
        s[3] = std::min(s[3], s[2]);
        s[5] = std::max(s[5], s[4]);
        if (s[0] < o.least) return Drift::none;
        if (!((o.up && s[2] - s[3] > o.drift) || (o.down && s[5] - s[4] > o.drift))) return Drift::none;
        s[6] = 1;
        return Drift::drift;
    }
};

// Bifet & Gavaldà 2007 (ADWIN2): a window of recent values as an exponential histogram, cut where its two parts differ by
// more than chance allows. Row r holds buckets of 2^r values each, the oldest first: their number, sums, and sums of
// squares about their means. Costs O(log n) memory, and O(log n) time per `clock` values.
struct AdaptiveWindow {
    static constexpr int64_t most_rows = 48, head = 6;  // values seen, width, sum, squares, rows, drifted
    static int64_t row_size(const DriftOptions &o) { return 1 + 2 * (o.buckets + 1); }
    static int64_t state_size_of(const DriftOptions &o) { return head + most_rows * row_size(o); }
    static void reset(double *s, const DriftOptions &o) {
        std::fill_n(s, state_size_of(o), 0.0);
        s[4] = 1;
    }

    static Drift step(double *s, double x, const DriftOptions &o) {
        if (s[5] > 0) reset(s, o);
        s[0] += 1;
        add(s, x, o);
        const auto seen = static_cast<int64_t>(s[0]);
        if (seen % o.clock != 0 || !(s[1] > o.least)) return Drift::none;
        bool found = false;
        while (cut(s, o)) found = true;
        s[5] = found;
        return found ? Drift::drift : Drift::none;
    }

  private:
    static double *row(double *s, int64_t r, const DriftOptions &o) { return s + head + r * row_size(o); }

    static void add(double *s, double x, const DriftOptions &o) {
        const double before = s[1];
        if (before > 0) {
            const double off = x - s[2] / before;
            s[3] += before * off * off / (before + 1);
        }
        s[1] = before + 1;
        s[2] += x;
        push(row(s, 0, o), x, 0.0);
        double size = 1;
        for (int64_t r = 0; r + 1 < most_rows; ++r, size *= 2) {
            double *these = row(s, r, o);
            if (static_cast<int64_t>(these[0]) <= o.buckets) break;
            if (r + 1 == static_cast<int64_t>(s[4])) s[4] += 1;
            const double off = (these[1] - these[3]) / size;
            push(row(s, r + 1, o), these[1] + these[3], these[2] + these[4] + size * off * off / 2);
            drop(these, 2);
        }
    }
    static void push(double *these, double sum, double squares) {
        const auto k = static_cast<int64_t>(these[0]);
        these[1 + 2 * k] = sum;
        these[2 + 2 * k] = squares;
        these[0] += 1;
    }
    static void drop(double *these, int64_t count) {
        const auto k = static_cast<int64_t>(these[0]);
        std::copy(these + 1 + 2 * count, these + 1 + 2 * k, these + 1);
        these[0] -= static_cast<double>(count);
    }

    // Drop the oldest bucket if some cut of the window tells its two parts apart.
    static bool cut(double *s, const DriftOptions &o) {
        const double width = s[1], least = static_cast<double>(o.window);
        const double chance = std::log(2 * std::log(width) / o.delta), variance = std::max(0.0, s[3]) / width;
        double n = 0, sum = 0;
        for (auto r = static_cast<int64_t>(s[4]) - 1; r >= 0; --r) {
            const double *these = row(s, r, o), size = std::ldexp(1.0, static_cast<int>(r));
            const auto k = static_cast<int64_t>(these[0]);
            for (int64_t i = 0; i < k; ++i) {
                n += size;
                sum += these[1 + 2 * i];
                const double m = width - n;
                if (r == 0 && i == k - 1) break;  // nothing is left on the other side
                if (m < least + 1 || n < least + 1) continue;
                const double off = sum / n - (s[2] - sum) / m;
                const double inverse = 1 / (n - least + 1) + 1 / (m - least + 1);
                const double bound = std::sqrt(2 * inverse * variance * chance) + 2.0 / 3 * chance * inverse;
                if (std::abs(off) > bound) {
                    forget_oldest(s, o);
                    return s[1] > 0;
                }
            }
        }
        return false;
    }
    static void forget_oldest(double *s, const DriftOptions &o) {
        const auto r = static_cast<int64_t>(s[4]) - 1;
        double *these = row(s, r, o);
        const double size = std::ldexp(1.0, static_cast<int>(r)), mean = these[1] / size;
        s[1] -= size;
        s[2] -= these[1];
        const double off = s[1] > 0 ? mean - s[2] / s[1] : 0;
        s[3] -= these[2] + size * s[1] * off * off / (size + s[1]);
        drop(these, 1);
        while (s[4] > 1 && row(s, static_cast<int64_t>(s[4]) - 1, o)[0] == 0) s[4] -= 1;
    }
};

}  // namespace learnt
