// exp, log and powers of whole vectors, and products that are not fused with sums.
#pragma once

#include "simd/levels.hpp"

namespace learnt {

// The value itself; the compiler may no longer fuse the product it came from with a sum.
inline double unfused(double product) {
#if defined(__x86_64__)
    asm("" : "+x"(product));
#elif defined(__aarch64__)
    asm("" : "+w"(product));
#endif
    return product;
}

}  // namespace learnt

#define LEARNT_LOOPS "simd/math_simd.hpp"
#include "simd/each_level.hpp"
