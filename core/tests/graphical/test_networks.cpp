// Junction trees against the whole joint table, on random products of factors.
#include "graphical/factor.hpp"
#include "graphical/propagation.hpp"
#include "tests/check.hpp"

namespace learnt::test {

using namespace learnt::graphical;

struct Model {
    Ints states;
    Sizes start{0};
    Ints scope;
    std::vector<double> values;
    std::vector<double> joint;

    Model(int32_t n, uint64_t seed) {
        const std::vector<double> u = numbers<double>(2000, seed);
        size_t at = 0;
        Ints all;
        int64_t size = 1;
        for (int32_t v = 0; v < n; ++v) {
            states.push_back(1 + static_cast<int32_t>(u[at++] * 3)), all.push_back(v);
            size *= states.back();
        }
        joint.assign(static_cast<size_t>(size), 1.0);
        for (int f = 0; f < n + 2; ++f) {
            Ints own;
            for (int32_t v = 0; v < n; ++v)
                if (own.size() < 3 && u[at++] < 0.35) own.insert(own.begin(), v);  // not in their order
            scope.insert(scope.end(), own.begin(), own.end());
            start.push_back(static_cast<int64_t>(scope.size()));
            int64_t entries = 1;
            for (const int32_t v : own) entries *= states[static_cast<size_t>(v)];
            const size_t first = values.size();
            for (int64_t e = 0; e < entries; ++e) values.push_back(u[at++]);
            combine(Projection(all, own, states), values.data() + first, joint.data(), [](double a, double b) { return a * b; });
        }
    }
};

static void posteriors_are_those_of_the_joint_table(uint64_t seed) {
    constexpr int32_t n = 6;
    const Model model(n, seed);
    const Elimination found =
        best_elimination(model.states, model.start.data(), static_cast<int64_t>(model.start.size()) - 1, model.scope.data(), 2);
    CHECK(found.order.size() == static_cast<size_t>(n));
    JunctionTree tree(model.states, model.start.data(), static_cast<int64_t>(model.start.size()) - 1, model.scope.data(),
                      found.order.data());
    tree.set_factors(model.values.data());
    Ints all, codes(3 * n, -1);
    std::vector<Ints> targets;
    for (int32_t v = 0; v < n; ++v) all.push_back(v), targets.push_back({v});
    codes[n] = 0, codes[n + 3] = model.states[3] - 1, codes[2 * n + 5] = 0;
    int64_t width = 0;
    for (const int32_t k : model.states) width += k;
    std::vector<double> out(static_cast<size_t>(3 * width)), log_evidence(3), log_product(3);
    Ints best(3 * n);
    const Evidence evidence{codes.data(), nullptr, 0, 3};
    posteriors(tree, evidence, targets, out.data(), log_evidence.data());
    most_probable(tree, evidence, best.data(), log_product.data());
    for (int64_t row = 0; row < 3; ++row) {
        std::vector<double> table = model.joint;
        for (int32_t v = 0; v < n; ++v) {
            if (codes[static_cast<size_t>(row * n + v)] < 0) continue;
            std::vector<double> known(static_cast<size_t>(model.states[static_cast<size_t>(v)]), 0.0);
            known[static_cast<size_t>(codes[static_cast<size_t>(row * n + v)])] = 1;
            Projection(all, {v}, model.states).multiply(table.data(), known.data());
        }
        double total = 0, largest = 0;
        for (const double x : table) total += x, largest = std::max(largest, x);
        CHECK(close(log_evidence[static_cast<size_t>(row)], std::log(total), 1e-11));
        CHECK(close(log_product[static_cast<size_t>(row)], std::log(largest), 1e-11));
        int64_t at = row * width;
        for (int32_t v = 0; v < n; ++v) {
            const int64_t k = model.states[static_cast<size_t>(v)];
            std::vector<double> wanted(static_cast<size_t>(k));
            reduce(Projection(all, {v}, model.states), table.data(), Reduction::sum, k, wanted.data());
            for (int64_t s = 0; s < k; ++s) CHECK(close(out[static_cast<size_t>(at++)], wanted[static_cast<size_t>(s)] / total, 1e-12));
        }
    }
}

void test_networks() {
    everywhere([] {
        for (uint64_t seed = 1; seed < 12; ++seed) posteriors_are_those_of_the_joint_table(seed);
    });
}

}  // namespace learnt::test
