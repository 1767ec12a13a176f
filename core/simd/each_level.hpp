// Compiles the file named LEARNT_LOOPS once for every level; see simd/levels.hpp. Meant to be included repeatedly,
// outside of any namespace, and the loops' file must include nothing itself.

namespace learnt::baseline {
#define LEARNT_BYTES 16
#include LEARNT_LOOPS
#undef LEARNT_BYTES
}  // namespace learnt::baseline

#if LEARNT_X86

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
namespace learnt::avx2 {
#define LEARNT_BYTES 32
#include LEARNT_LOOPS
#undef LEARNT_BYTES
}  // namespace learnt::avx2
#if defined(__clang__)
#pragma clang attribute pop
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")
#endif
namespace learnt::avx512 {
#define LEARNT_BYTES 64
#include LEARNT_LOOPS
#undef LEARNT_BYTES
}  // namespace learnt::avx512
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif

#undef LEARNT_LOOPS
