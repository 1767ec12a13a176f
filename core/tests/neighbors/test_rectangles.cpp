// Rectangles that grow out of rows: by hand, and beyond the room they start with.
#include <vector>

#include "neighbors/rectangles.hpp"
#include "tests/check.hpp"

namespace learnt::test {

static void rows_grow_into_rectangles_with_exceptions() {
    const int64_t size = 0;
    const double range = 9, weight = 1;
    RectangleRows found(&size, &range, &weight, 1, false);
    const std::vector<double> cells{0, 4, 2, 1, 9, 2};
    const std::vector<int32_t> label{0, 0, 1, 0, 1, 1};
    const std::vector<int64_t> shown{0, 1, 2, 3, 4, 5};
    grow_rectangles(found, cells.data(), label.data(), shown.data(), 6, 1);
    CHECK(found.count == 3 && found.low_of(0, 0) == 0 && found.high_of(0, 0) == 4);
    CHECK(found.tried[0] == 5 && found.right[0] == 3 && found.tried[1] == 2 && found.right[1] == 2);
    const std::vector<double> asked{2, 8, std::nan("")};
    std::vector<double> far(6);
    std::vector<int64_t> answer(3);
    ask_rectangles(found, asked.data(), 3, 2, far.data(), answer.data());
    CHECK(answer[0] == 1 && answer[1] == 2 && far[1] == 0 && close(far[3], 1.0 / 9, 1e-15));
    CHECK(close(far[4], 5.0 / 3, 1e-15) && far[5] == 1);  // a missing cell is at 1 from all
}

static void many_rectangles_of_labels_and_numbers() {
    // 500 rows of 500 classes: each is its own rectangle, and the nearest to itself.
    const std::vector<int64_t> size{0, 3};
    const std::vector<double> range{1, 0}, weight{1, 1};
    RectangleRows found(size.data(), range.data(), weight.data(), 2, false);
    std::vector<double> cells = numbers<double>(1000, 5);
    std::vector<int32_t> label;
    std::vector<int64_t> shown, answer(500);
    for (int32_t i = 0; i < 500; ++i) {
        cells[static_cast<size_t>(2 * i + 1)] = i % 3;
        label.push_back(i), shown.push_back(i);
    }
    grow_rectangles(found, cells.data(), label.data(), shown.data(), 500, 2);
    CHECK(found.count == 500 && found.room >= 500);
    std::vector<double> far(500 * 500);
    ask_rectangles(found, cells.data(), 500, 500, far.data(), answer.data());
    for (size_t i = 0; i < 500; ++i)
        for (size_t c = 0; c < 500; ++c) {
            const double gap = cells[2 * i] - cells[2 * c], other = i % 3 == c % 3 ? 0.0 : 1.0;
            CHECK(close(far[i * 500 + c], std::sqrt(gap * gap + other) * found.tried[c], 1e-12));
        }
}

void test_rectangles() {
    rows_grow_into_rectangles_with_exceptions();
    many_rectangles_of_labels_and_numbers();
}

}  // namespace learnt::test
