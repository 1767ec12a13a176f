// Instance-based learning against a plain loop, and its edges.
#include <vector>

#include "neighbors/instance_based.hpp"
#include "tests/check.hpp"

namespace learnt::test {

static void limits_are_wilsons() {
    CHECK(wilson_limit(0, 0, z_accept, -1) == 0.0 && wilson_limit(0, 0, z_accept, +1) == 1.0);
    // 8 of 10 at z = 1.96: 0.4901625 … 0.9433178
    CHECK(std::abs(wilson_limit(8, 10, 1.959963984540054, -1) - 0.4901625) < 1e-6);
    CHECK(std::abs(wilson_limit(8, 10, 1.959963984540054, +1) - 0.9433178) < 1e-6);
}

static void mistakes_are_kept() {
    const std::vector<double> cells{0, 1, 10, 9, 0.5, 4.9}, range{10}, weight{1};
    const std::vector<int32_t> label{0, 0, 1, 1, 1, 0};
    const std::vector<int64_t> shown{0, 1, 2, 3, 4, 5};
    const InstanceRows in{cells.data(), label.data(), 6, 1, range.data(), weight.data(), 2};
    std::vector<double> seen(2, 0.0);
    std::vector<Instance> kept;
    show_instances(in, Keeping::mistakes, shown.data(), 6, 0, 0, seen.data(), 2, kept);
    // 0 is first; 1 is like it; 10 is wrong; 9 is right; 0.5 is wrong; 4.9 is nearest 0.5, wrong.
    CHECK(kept.size() == 4 && kept[0].row == 0 && kept[1].row == 2 && kept[2].row == 4 && kept[3].row == 5);
    CHECK(seen[0] == 3 && seen[1] == 3);
    kept.clear();
    show_instances(in, Keeping::all, shown.data(), 6, 0, 0, seen.data(), 2, kept);
    CHECK(kept.size() == 6);
}

static void noise_is_forgotten_and_good_rows_are_accepted() {
    // Two piles, and one row of the wrong class in the first, shown early.
    std::vector<double> cells;
    std::vector<int32_t> label;
    std::vector<int64_t> shown;
    for (int64_t i = 0; i < 400; ++i) {
        const bool second = i % 2 != 0;
        cells.push_back((second ? 0.9 : 0.1) + 0.0001 * static_cast<double>(i));
        label.push_back(i == 2 ? 1 : second);
        shown.push_back(i);
    }
    const std::vector<double> range{1}, weight{1};
    const InstanceRows in{cells.data(), label.data(), 400, 1, range.data(), weight.data(), 2};
    std::vector<double> seen(2, 0.0);
    std::vector<Instance> kept;
    show_instances(in, Keeping::proven, shown.data(), 400, 1, 0, seen.data(), 2, kept);
    bool accepted[2] = {false, false};
    for (const Instance &one : kept) {
        CHECK(one.row != 2);
        CHECK(one.right <= one.tried);
        if (instance_is_accepted(one, seen[static_cast<size_t>(label[static_cast<size_t>(one.row)])], 400))
            accepted[label[static_cast<size_t>(one.row)]] = true;
    }
    CHECK(accepted[0] && accepted[1]);
}

void test_instances() {
    limits_are_wilsons();
    mistakes_are_kept();
    noise_is_forgotten_and_good_rows_are_accepted();
}

}  // namespace learnt::test
