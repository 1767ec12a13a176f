// What the bindings of trees share: typed columns, arrays handed to Python, the fields of a tree.
#pragma once

#include <string>
#include <vector>

#include "bind/options.hpp"
#include "tree/nodes.hpp"

namespace learnt::bind {

using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

// Typed columns and the arrays that keep their memory.
struct TypedColumns {
    std::vector<AnyColumn> arrays;
    std::vector<tree::Column> columns;

    TypedColumns(nb::list list, const In<int32_t> &n_categories, int64_t rows) {
        const int64_t p = static_cast<int64_t>(nb::len(list));
        const int32_t *categories = vector("n_categories", n_categories, p);
        for (int64_t j = 0; j < p; ++j) {
            const std::string name = "columns[" + std::to_string(j) + "]";
            AnyColumn array;
            if (!nb::try_cast(list[static_cast<size_t>(j)], array, false))
                throw nb::type_error(("'" + name + "' is not a one-dimensional array.").c_str());
            check_length(name.c_str(), size(array), rows);
            tree::Column column{kind_of(array, name), data_of(array, name), array.stride(0), categories[j]};
            if (categories[j] < 0) refuse("'" + name + "' has a negative number of categories. Expected 0 or more.");
            if (categories[j] > 0 && column.cells != tree::Column::Cells::code)
                throw nb::type_error(("'" + name + "' holds numbers. Expected int32 codes for categories.").c_str());
            columns.push_back(column);
            arrays.push_back(array);
        }
    }

    // Codes at or above n_categories would be read outside of the grower's tables.
    void check_codes(int64_t rows) const {
        for (size_t j = 0; j < columns.size(); ++j)
            for (int64_t i = 0; !columns[j].ordered() && i < rows; ++i)
                if (columns[j].code(i) >= columns[j].n_categories)
                    refuse("'columns[" + std::to_string(j) + "]' has the code " + std::to_string(columns[j].code(i)) +
                           " in row " + std::to_string(i) + ". Expected less than " +
                           std::to_string(columns[j].n_categories) + ".");
    }

    static tree::Column::Cells kind_of(const AnyColumn &array, const std::string &name) {
        if (array.dtype() == nb::dtype<double>()) return tree::Column::Cells::float64;
        if (array.dtype() == nb::dtype<float>()) return tree::Column::Cells::float32;
        if (array.dtype() == nb::dtype<int32_t>()) return tree::Column::Cells::code;
        throw nb::type_error(("'" + name + "' has another type than float64, float32 or int32.").c_str());
    }
    static const void *data_of(const AnyColumn &array, const std::string &name) {
        if (reinterpret_cast<uintptr_t>(array.data()) % static_cast<size_t>(array.itemsize()) != 0)
            refuse("'" + name + "' is not aligned in memory. Pass a copy of it.");
        return array.data();
    }
};

template <class T>
nb::object as_array(std::vector<T> &&from, std::initializer_list<size_t> shape) {
    auto *kept = new std::vector<T>(std::move(from));
    nb::capsule owner(kept, [](void *p) noexcept { delete static_cast<std::vector<T> *>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}
template <class T>
nb::object as_array(std::vector<T> &&from) {
    const size_t n = from.size();
    return as_array(std::move(from), {n});
}

// The fields of learnt.tree.arrays.TreeArrays by their names; `k` numbers a node.
inline nb::dict tree_fields(tree::TreeArrays &&t, int64_t k) {
    const size_t n = t.feature.size();
    nb::dict fields;
    fields["feature"] = as_array(std::move(t.feature));
    fields["threshold"] = as_array(std::move(t.threshold));
    fields["child_start"] = as_array(std::move(t.child_start));
    fields["n_children"] = as_array(std::move(t.n_children));
    fields["children"] = as_array(std::move(t.children));
    fields["route_start"] = as_array(std::move(t.route_start));
    fields["n_routes"] = as_array(std::move(t.n_routes));
    fields["route_codes"] = as_array(std::move(t.route_codes));
    fields["routes"] = as_array(std::move(t.routes));
    fields["otherwise"] = as_array(std::move(t.otherwise));
    fields["missing"] = as_array(std::move(t.missing));
    fields["weight"] = as_array(std::move(t.weight));
    fields["impurity"] = as_array(std::move(t.impurity));
    fields["value"] = as_array(std::move(t.value), {n, static_cast<size_t>(k)});
    fields["missing_weight"] = as_array(std::move(t.missing_weight));
    return fields;
}

inline void check_weights(const tree::Problem &p) {
    bool any = p.rows > 0 && !p.weights;
    for (int64_t i = 0; p.weights && i < p.rows; ++i) {
        if (!(p.weights[i] >= 0) || std::isinf(p.weights[i]))
            refuse("'weights' is " + std::to_string(p.weights[i]) + " in row " + std::to_string(i) +
                   ". Expected 0 or more.");
        any |= p.weights[i] > 0;
    }
    if (!any) refuse("No row has any weight. Expected at least one.");
    if (p.rows >= int64_t{1} << 32)
        refuse("There are " + std::to_string(p.rows) + " rows. Expected fewer than 4294967296.");
}

inline void check_labels(const tree::Problem &p) {
    if (p.classes < 1) refuse("'n_classes' is " + std::to_string(p.classes) + ". Expected 1 or more.");
    for (int64_t i = 0; i < p.rows; ++i)
        if (p.labels[i] < 0 || p.labels[i] >= p.classes)
            refuse("'labels' is " + std::to_string(p.labels[i]) + " in row " + std::to_string(i) +
                   ". Expected 0 to " + std::to_string(p.classes - 1) + ".");
}

}  // namespace learnt::bind
