// Instance-based learning: rows shown one after another.
#include "bind/arrays.hpp"
#include "neighbors/instance_based.hpp"

namespace learnt::bind {
namespace {

static Keeping keeping_named(const std::string &policy) {
    const char *names[] = {"ib1", "ib2", "ib3"};
    for (int i = 0; i < 3; ++i)
        if (policy == names[i]) return static_cast<Keeping>(i);
    refuse("'policy' is '" + policy + "'. Expected 'ib1', 'ib2' or 'ib3'.");
}

static InstanceRows instance_rows(const In2<double> &cells, const In<int32_t> &labels, int64_t n_classes,
                                  const In<double> &ranges, const In<double> &weights, int power) {
    const int64_t n = size(cells), p = size(cells, 1);
    if (power != 1 && power != 2) refuse("'power' is neither 1 nor 2.");
    const InstanceRows in{data("cells", cells), vector("labels", labels, n), n, p,
                          vector("ranges", ranges, p), vector("weights", weights, p), power};
    for (int64_t i = 0; i < n; ++i)
        if (in.label[i] < 0 || in.label[i] >= n_classes) refuse("'labels' names a class that is not there.");
    return in;
}

void check_instance_rows(const char *name, const int64_t *rows, int64_t count, int64_t n) {
    for (int64_t i = 0; i < count; ++i)
        if (rows[i] < 0 || rows[i] >= n) refuse(std::string{"'"}.append(name).append("' names a row that is not there."));
}

nb::object instance_column(const std::vector<Instance> &kept, int64_t Instance::*field) {
    auto *values = new std::vector<int64_t>;
    values->reserve(kept.size());
    for (const Instance &one : kept) values->push_back(one.*field);
    const nb::capsule owner(values, [](void *p) noexcept { delete static_cast<std::vector<int64_t> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, int64_t, nb::ndim<1>>(values->data(), {values->size()}, owner));
}

}  // namespace

void bind_instances(nb::module_ &m) {
    m.def(
        "show_instances",
        [](const In2<double> &cells, const In<int32_t> &labels, const In<double> &ranges, const In<double> &weights, int power,
           const std::string &policy, const In<int64_t> &shown, uint64_t seed, int64_t first, const Out<double> &class_seen,
           const In<int64_t> &rows, const In<int64_t> &tried, const In<int64_t> &right) {
            const int64_t n_classes = size(class_seen), already = size(rows);
            const InstanceRows in = instance_rows(cells, labels, n_classes, ranges, weights, power);
            const Keeping keeping = keeping_named(policy);
            const int64_t *r = data("rows", rows), *t = vector("tried", tried, already), *ok = vector("right", right, already);
            check_instance_rows("shown", data("shown", shown), size(shown), in.n);
            check_instance_rows("rows", r, already, in.n);
            std::vector<Instance> kept;
            for (int64_t e = 0; e < already; ++e) {
                if (ok[e] < 0 || ok[e] > t[e] || t[e] > int64_t{1} << 53)
                    refuse("'tried' and 'right' are no counts. Expected 0 <= right <= tried <= 2**53.");
                kept.push_back({r[e], t[e], ok[e]});
            }
            {
                const nb::gil_scoped_release unlocked;
                show_instances(in, keeping, shown.data(), size(shown), seed, first, data("class_seen", class_seen), n_classes, kept);
            }
            return nb::make_tuple(instance_column(kept, &Instance::row), instance_column(kept, &Instance::tried),
                                  instance_column(kept, &Instance::right));
        },
        nb::arg("cells").noconvert(), nb::arg("labels").noconvert(), nb::arg("ranges").noconvert(), nb::arg("weights").noconvert(),
        nb::arg("power"), nb::arg("policy"), nb::arg("shown").noconvert(), nb::arg("seed"), nb::arg("first"),
        nb::arg("class_seen").noconvert(), nb::arg("rows").noconvert(), nb::arg("tried").noconvert(), nb::arg("right").noconvert(),
        "Rows shown one after another; those kept, how often each was asked, and how often right.");
}

}  // namespace learnt::bind
