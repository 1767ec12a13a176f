// Rows on new axes, against plain loops.
#include "table/project.hpp"
#include "tests/check.hpp"

namespace learnt::test {

template <class Real>
static void scores_are_those_of_a_plain_loop() {
    for (const auto [n, p] : odd_shapes)
        for (const Layout layout : every_layout)
            for (const int64_t k : {1, 2, 7, 8, 20, 33}) {
                const OwnedTable<Real> t = make_table<Real>(n, p, layout);
                const std::vector<double> shift = numbers<double>(p, 5), weights = numbers<double>(p * k, 6);
                std::vector<double> out(static_cast<size_t>(n * k), -7.0);
                project_rows(t.view, shift.data(), weights.data(), k, out.data());
                for (int64_t i = 0; i < n; ++i)
                    for (int64_t c = 0; c < k; ++c) {
                        double sum = 0;
                        for (int64_t j = 0; j < p; ++j)
                            sum += (static_cast<double>(t.view(i, j)) - shift[static_cast<size_t>(j)]) *
                                   weights[static_cast<size_t>(j * k + c)];
                        CHECK(close(out[static_cast<size_t>(i * k + c)], sum, 1e-12));
                    }
            }
}

void test_reduce() {
    everywhere([] {
        scores_are_those_of_a_plain_loop<float>();
        scores_are_those_of_a_plain_loop<double>();
    });
}

}  // namespace learnt::test
