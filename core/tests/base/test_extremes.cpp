// The largest and smallest arguments there are: nothing overflows, as a sanitizer sees, and answers stay right.
#include <limits>
#include <stdexcept>

#include "base/whole.hpp"
#include "boosting/bins.hpp"
#include "boosting/quantiles.hpp"
#include "neighbors/instance_based.hpp"
#include "tests/check.hpp"
#include "text/characters.hpp"

namespace learnt::test {
namespace {

constexpr int64_t largest = std::numeric_limits<int64_t>::max(), smallest = std::numeric_limits<int64_t>::min();
constexpr double infinity = std::numeric_limits<double>::infinity();

void check_whole_numbers() {
    CHECK(whole_within(2.9, 0, 5) == 2);
    CHECK(whole_within(1e300, 0, 5) == 5 && whole_within(infinity, 0, 5) == 5);
    CHECK(whole_within(-1e300, 0, 5) == 0 && whole_within(-infinity, -7, 5) == -7);
    CHECK(whole_within(std::nan(""), 3, 5) == 3);
    CHECK(whole_within(0x1p63, 0, largest) == largest && whole_within(-0x1p63, smallest, 0) == smallest);
    CHECK(whole_within(4, 4, 4) == 4);
}

void check_hashes() {
    double end[3], next[1];
    hash_uniform(7, largest, end, 3), hash_uniform(7, smallest, next, 1);
    CHECK(end[1] == next[0]);
}

void check_quantiles() {
    const std::vector<int32_t> group(5, 0);
    const std::vector<double> x{4, 1, 3, 0, 2};
    for (const auto &[q, expected] : {std::pair{0.5, 2.0}, {1e300, 4.0}, {infinity, 4.0}, {-1e300, 0.0}, {std::nan(""), 0.0}}) {
        double found = -1;
        boost::quantiles_by_group(group.data(), x.data(), nullptr, 5, q, 1, &found);
        CHECK(found == expected);
    }
}

void check_bins() {
    const std::vector<double> x{0, 1, 2, 3};
    CHECK(boost::edges_of_sorted(x.data(), nullptr, 4, largest).size() == 3);
    for (const int64_t few : {int64_t{1}, int64_t{0}, int64_t{-1}, smallest})
        CHECK(boost::edges_of_sorted(x.data(), nullptr, 4, few).empty());
    const tree::Column column{tree::Column::Cells::float64, x.data(), 1, 0};
    CHECK(boost::distinct_numbers(column, nullptr, 4, largest).value.size() == 4);
    for (const int64_t few : {int64_t{0}, int64_t{-1}, smallest}) {
        const auto found = boost::distinct_numbers(column, nullptr, 4, few);
        CHECK(found.many && found.value.empty());
    }
}

void check_characters() {
    constexpr int32_t least = std::numeric_limits<int32_t>::min(), most = std::numeric_limits<int32_t>::max();
    for (const auto &[from, to] : {std::pair{0, least}, {least, 5}, {0, most}, {-1, 3}}) {
        const int32_t range[] = {from, to};
        bool refused = false;
        try {
            const Characters made(range, 1, nullptr, nullptr, nullptr, 0);
        } catch (const std::invalid_argument &) {
            refused = true;
        }
        CHECK(refused);
    }
}

void check_showings() {
    const std::vector<double> cells{0, 1, 2}, ones{1};
    const std::vector<int32_t> label{0, 1, 0};
    const std::vector<int64_t> shown{0, 1, 2};
    for (const int64_t first : {largest, smallest, int64_t{-1}}) {
        std::vector<double> seen{0, 0};
        std::vector<Instance> kept;
        const InstanceRows in{cells.data(), label.data(), 3, 1, ones.data(), ones.data(), 1};
        show_instances(in, Keeping::proven, shown.data(), 3, 0, first, seen.data(), 2, kept);
        CHECK(!kept.empty() && seen[0] == 2 && seen[1] == 1);
    }
}

}  // namespace

void test_extremes() {
    check_whole_numbers();
    everywhere([] { check_hashes(), check_quantiles(), check_bins(), check_characters(), check_showings(); });
}

}  // namespace learnt::test
