// The growing of boosted trees from rows in memory.
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bind/boosting/problem.hpp"

namespace learnt::bind {

namespace {

struct BoostGrower {
    nb::object bins_object, rules_object;
    const BoostBins &bins;
    const BoostRules &rules;
    In2<uint8_t> narrow;
    In2<uint16_t> wide;
    CodeRows codes;
    std::unique_ptr<Grower<float>> coarse;
    std::unique_ptr<Grower<double>> fine;
    bool last_fine = false;

    BoostGrower(nb::object b, nb::object r, const In2<uint8_t> &n, const In2<uint16_t> &w)
        : bins_object(b),
          rules_object(r),
          bins(nb::cast<const BoostBins &>(b)),
          rules(nb::cast<const BoostRules &>(r)),
          narrow(n),
          wide(w),
          codes(bins.checked_rows(n, w)) {
        rules.for_columns_of(bins);
    }

    template <class Real>
    Grower<Real> &grower() {
        auto &mine = [&]() -> auto & {
            if constexpr (sizeof(Real) == 4)
                return coarse;
            else
                return fine;
        }();
        if (!mine) mine = std::make_unique<Grower<Real>>(bins.layout, codes, bins.meaning, rules.rules);
        last_fine = sizeof(Real) == 8;
        return *mine;
    }
    template <class F>
    auto with_last(F f) {
        const auto asked = [&](auto &g) {  // one that refused its gradients has grown nothing
            if (g.n_nodes() == 0) refuse("No tree was grown yet.");
            return f(g);
        };
        if (!coarse && !fine) refuse("No tree was grown yet.");
        return last_fine ? asked(*fine) : asked(*coarse);
    }
};

template <class Real>
void bind_grow_with(nb::class_<BoostGrower> &c) {
    c.def(
        "grow",
        [](BoostGrower &self, const In<Real> &gradient, const Maybe<In<Real>> &hessian, const Maybe<In<double>> &weights,
           const Maybe<In<uint8_t>> &kept, uint64_t tree) {
            const int64_t n = self.codes.rows;
            const Real *g = vector("gradient", gradient, n), *h = vector("hessian", hessian, n);
            const double *w = vector("weights", weights, n);
            const uint8_t *k = vector("kept", kept, n);
            Grower<Real> &grower = self.grower<Real>();
            tree::TreeArrays t;
            {
                const nb::gil_scoped_release unlocked;
                t = grower.grow(g, h, w, k, tree);
            }
            return tree_fields(std::move(t), 1);
        },
        nb::arg("gradient").noconvert(), nb::arg("hessian").noconvert().none(), nb::arg("weights").noconvert().none(),
        nb::arg("kept").noconvert().none(), nb::arg("tree"));
}

void bind_boost_options(nb::module_ &m) {
    using O = TreeRules;
    // A field of the rules of a single test.
    const auto of_split = [](auto member) { return [member](O &o) -> auto & { return o.split.*member; }; };
    using S = SplitRules;
    bind_options<O>(m, "BoostOptions", "How boosted trees are grown; the fields are those of learnt's GrowthOptions.",
                    field("max_leaf_nodes", &O::max_leaf_nodes), field("max_depth", &O::max_depth),
                    field("by_depth", &O::by_depth), field("min_samples_leaf", of_split(&S::min_samples_leaf)),
                    field("min_child_weight", of_split(&S::min_child_weight)), field("l1", of_split(&S::l1)),
                    field("l2", of_split(&S::l2)), field("min_gain", of_split(&S::min_gain)),
                    field("learning_rate", &O::learning_rate), field("max_features", &O::max_features),
                    field("max_features_tree", &O::max_features_tree), field("cat_smooth", of_split(&S::cat_smooth)),
                    field("cat_l2", of_split(&S::cat_l2)), field("max_cat_subset", of_split(&S::max_cat_subset)),
                    field("min_group", of_split(&S::min_group)), field("one_hot_up_to", of_split(&S::one_hot_up_to)),
                    field("seed", &O::seed));
}

void bind_grower(nb::module_ &m) {
    nb::class_<BoostRules>(m, "BoostRules", "Options checked against the columns they speak of.")
        .def(nb::init<const TreeRules &, int64_t, const Maybe<In<int8_t>> &, const std::vector<std::vector<int32_t>> &,
                      const Maybe<In<uint64_t>> &>(),
             nb::arg("options"), nb::arg("n_columns"), nb::arg("monotonic").noconvert().none(), nb::arg("interactions"),
             nb::arg("column_keys").noconvert().none() = nb::none());
    nb::class_<BoostGrower> grower(m, "BoostGrower",
        "Grows trees over one table, whose memory it keeps.");
    grower.def(nb::init<nb::object, nb::object, const In2<uint8_t> &, const In2<uint16_t> &>(), nb::arg("bins"),
               nb::arg("rules"), nb::arg("narrow").noconvert(), nb::arg("wide").noconvert());
    bind_grow_with<float>(grower), bind_grow_with<double>(grower);
    grower.def(
        "leaves",
        [](BoostGrower &self, const Out<int32_t> &out) {
            int32_t *to = vector("out", out, self.codes.rows);
            self.with_last([&](auto &g) {
                const nb::gil_scoped_release unlocked;
                const Blocks blocks = cut(self.codes.rows, 1 << 14, 256);
                run_blocks(blocks.count, [&](int64_t b, Job &) {
                    for (int64_t i = blocks[b].first; i < blocks[b].last; ++i)
                        to[i] = g.number[static_cast<size_t>(g.leaf_of_row()[i])];
                });
            });
        },
        nb::arg("out").noconvert());
    grower.def(
        "add",
        [](BoostGrower &self, const In<double> &values, const Out<double> &scores) {
            double *to = vector("scores", scores, self.codes.rows);
            self.with_last([&](auto &g) {
                const double *by_number = vector("values", values, g.n_nodes());
                const nb::gil_scoped_release unlocked;
                std::vector<double> value(static_cast<size_t>(g.n_nodes()));
                for (size_t i = 0; i < value.size(); ++i) value[i] = by_number[g.number[i]];
                const Blocks blocks = cut(self.codes.rows, 1 << 14, 256);
                run_blocks(blocks.count, [&](int64_t b, Job &) {
                    for (int64_t i = blocks[b].first; i < blocks[b].last; ++i)
                        to[i] += value[static_cast<size_t>(g.leaf_of_row()[i])];
                });
            });
        },
        nb::arg("values").noconvert(), nb::arg("scores").noconvert());
}

}  // namespace

void bind_boost(nb::module_ &m) { bind_boost_options(m), bind_grower(m); }

}  // namespace learnt::bind
