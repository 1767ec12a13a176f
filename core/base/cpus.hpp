// How many threads to use when nobody says: LEARNT_THREADS, else the CPUs this process may use.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace learnt {

inline constexpr int most_threads = 1024;

// A whole number from 1 to most_threads, or 0 for anything else.
inline int thread_setting(const char *text) {
    if (!text || !*text) return 0;
    char *end = nullptr;
    const long n = std::strtol(text, &end, 10);
    return *end == '\0' && n >= 1 && n <= most_threads ? static_cast<int>(n) : 0;
}

#if defined(__linux__)
// CPUs by the quota of one control group, 0 if it has none. Version 2 writes "quota period" into one
// file, version 1 two numbers into two.
inline int quota_at(const std::string &directory) {
    double quota = -1, period = 0;
    if (std::ifstream both(directory + "/cpu.max"); both) {
        both >> quota >> period;  // "max 100000" fails to parse: no limit
        if (!both) return 0;
    } else {
        std::ifstream(directory + "/cpu.cfs_quota_us") >> quota;
        std::ifstream(directory + "/cpu.cfs_period_us") >> period;
    }
    return quota > 0 && period > 0 ? std::max(1, static_cast<int>(std::ceil(quota / period))) : 0;
}

// The tightest quota among this process's control group and those above it, 0 if none.
inline int quota_cpus() {
    int cpus = 0;
    const auto tighten = [&cpus](int found) {
        if (found > 0) cpus = cpus == 0 ? found : std::min(cpus, found);
    };
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {  // "0::/a/b" or "4:cpu,cpuacct:/a/b"
        const size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        if (!controllers.empty() && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
        const std::string root = controllers.empty() ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu";
        for (std::string path = line.substr(second + 1);; path.erase(path.rfind('/'))) {
            tighten(quota_at(root + path));
            if (path.find('/') == std::string::npos) break;
        }
    }
    return cpus;
}

inline int affinity_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}
#else
inline int quota_cpus() { return 0; }
inline int affinity_cpus() { return 0; }
#endif

inline int default_threads() {
    if (const int wanted = thread_setting(std::getenv("LEARNT_THREADS"))) return wanted;
    int cpus = affinity_cpus();
    if (cpus == 0) cpus = static_cast<int>(std::thread::hardware_concurrency());
    if (const int quota = quota_cpus()) cpus = std::min(cpus == 0 ? quota : cpus, quota);
    return std::clamp(cpus, 1, most_threads);
}

}  // namespace learnt
