// Groups of columns as the bindings of graphical models take them, checked.
#pragma once

#include "bind/arrays.hpp"
#include "graphical/counts.hpp"

namespace learnt::bind {

inline std::span<const int32_t> columns_listed(const char *name, const In<int32_t> &given, int64_t columns) {
    const int32_t *j = data(name, given);
    for (int64_t i = 0; i < size(given); ++i)
        if (j[i] < 0 || j[i] >= columns)
            refuse("'" + std::string(name) + "' holds " + std::to_string(j[i]) + ". Expected 0 to " +
                   std::to_string(columns - 1) + ".");
    return {j, static_cast<size_t>(size(given))};
}

inline std::span<const int64_t> starts_listed(const char *name, const In<int64_t> &given, int64_t length, int64_t end) {
    const int64_t *start = vector(name, given, length);
    bool rising = length > 0 && start[0] == 0 && start[length - 1] == end;
    for (int64_t i = 1; rising && i < length; ++i) rising = start[i - 1] <= start[i];
    if (!rising) refuse("'" + std::string(name) + "' are not rising numbers from 0 to " + std::to_string(end) + ".");
    return {start, static_cast<size_t>(length)};
}

inline graphical::Groups groups_of(const In<int32_t> &members, const In<int64_t> &member_starts,
                                   const In<int32_t> &candidates, const In<int64_t> &candidate_starts, int64_t columns) {
    const int64_t length = size(member_starts);
    if (length < 1) refuse("'member_starts' is empty. Expected one number more than there are groups.");
    return {columns_listed("members", members, columns),
            starts_listed("member_starts", member_starts, length, size(members)),
            columns_listed("candidates", candidates, columns),
            starts_listed("candidate_starts", candidate_starts, length, size(candidates))};
}

inline const int32_t *sizes_listed(const char *name, const In<int32_t> &given, int64_t columns) {
    const int32_t *found = vector(name, given, columns);
    for (int64_t j = 0; j < columns; ++j)
        if (found[j] < 1) refuse("'" + std::string(name) + "' holds " + std::to_string(found[j]) + ". Expected at least 1.");
    return found;
}

}  // namespace learnt::bind
