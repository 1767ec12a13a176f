// How many threads to use when nobody says: LEARNT_THREADS, else the CPUs this process may use.
#pragma once

namespace learnt {

inline constexpr int most_threads = 1024;

// A whole number from 1 to most_threads, or 0 for anything else.
int thread_setting(const char *text);

int default_threads();

}  // namespace learnt
