// Loops of base/groups.hpp.

// Calls f(std::integral_constant<int, size>) for a group of that size; see group_size.
template <class F>
LEARNT_INLINE void with_group_size(int size, F f) {
    if constexpr (Bytes == 64)
        with_constant<12, 8, 4, 2, 1>(size, f);
    else
        with_constant<6, 4, 2, 1>(size, f);
}
