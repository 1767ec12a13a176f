// Structs of options as Python sees them: one keyword a field, none with a default, written down in one place.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "bind/arrays.hpp"

namespace learnt::bind {

template <class E>
E choice(const char *name, const std::string &value, const std::vector<const char *> &names) {
    int i = 0;
    std::string all;
    for (const char *n : names) {
        if (value == n) return static_cast<E>(i);
        all += std::string(i++ ? ", '" : "'") + n + "'";
    }
    refuse("'" + std::string(name) + "' is '" + value + "'. Expected one of " + all + ".");
}

// A keyword and the member it sets; `names` are those of an enumeration's values, which Python gives as str.
template <class Member>
struct Field {
    const char *name;
    Member member;
    std::vector<const char *> names;
};
template <class Member>
Field<Member> field(const char *name, Member member, std::vector<const char *> names = {}) {
    return {name, member, std::move(names)};
}

template <class Options, class Member>
using FieldType = std::remove_reference_t<std::invoke_result_t<const Member &, Options &>>;
template <class T>
using Given = std::conditional_t<std::is_enum_v<T>, std::string, T>;

template <class Options, class Member>
void put(Options &to, const Field<Member> &field, const Given<FieldType<Options, Member>> &value) {
    using T = FieldType<Options, Member>;
    if constexpr (std::is_enum_v<T>)
        std::invoke(field.member, to) = choice<T>(field.name, value, field.names);
    else
        std::invoke(field.member, to) = value;
}

template <class Options, class... Member>
void bind_options(nb::module_ &m, const char *name, const char *doc, const Field<Member> &...fields) {
    nb::class_<Options>(m, name, doc)
        .def(
            "__init__",
            [fields...](Options *self, const Given<FieldType<Options, Member>> &...values) {
                Options made;
                (put(made, fields, values), ...);
                new (self) Options(std::move(made));
            },
            nb::kw_only(), nb::arg(fields.name)...);
}

}  // namespace learnt::bind
