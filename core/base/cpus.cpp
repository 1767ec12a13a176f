// Quotas are read by the C library: streams of C++ crash in builds that link libstdc++ twice.
#include "base/cpus.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace learnt {

int thread_setting(const char *text) {
    if (!text || !*text) return 0;
    char *end = nullptr;
    const long n = std::strtol(text, &end, 10);
    return *end == '\0' && n >= 1 && n <= most_threads ? static_cast<int>(n) : 0;
}

namespace {

#if defined(__linux__)
// What a small file holds; empty if it cannot be read, which `there` tells apart.
std::string contents(const std::string &path, bool *there = nullptr) {
    std::string text;
    std::FILE *const file = std::fopen(path.c_str(), "r");
    if (there) *there = file != nullptr;
    if (!file) return text;
    char some[512];
    for (size_t n; (n = std::fread(some, 1, sizeof some, file)) > 0;) text.append(some, n);
    std::fclose(file);
    return text;
}

// CPUs by the quota of one control group, 0 if it has none. Version 2 writes "quota period" into one
// file ("max 100000" for no limit), version 1 two numbers into two.
int quota_at(const std::string &directory) {
    double quota = -1, period = 0;
    bool there = false;
    const std::string both = contents(directory + "/cpu.max", &there);
    if (there) {
        if (std::sscanf(both.c_str(), "%lf %lf", &quota, &period) != 2) return 0;
    } else {
        std::sscanf(contents(directory + "/cpu.cfs_quota_us").c_str(), "%lf", &quota);
        std::sscanf(contents(directory + "/cpu.cfs_period_us").c_str(), "%lf", &period);
    }
    const double cpus = std::ceil(quota / period);
    return quota > 0 && period > 0 ? static_cast<int>(std::clamp(cpus, 1.0, double{most_threads})) : 0;
}

// The tightest quota among this process's control group and those above it, 0 if none.
int quota_cpus() {
    int cpus = 0;
    const auto tighten = [&cpus](int found) {
        if (found > 0) cpus = cpus == 0 ? found : std::min(cpus, found);
    };
    const std::string groups = contents("/proc/self/cgroup");
    for (size_t from = 0; from < groups.size();) {  // lines "0::/a/b" or "4:cpu,cpuacct:/a/b"
        const size_t end = std::min(groups.find('\n', from), groups.size());
        const std::string line = groups.substr(from, end - from);
        from = end + 1;
        const size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
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

int affinity_cpus() {
    cpu_set_t set;
    CPU_ZERO(&set);
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}
#else
int quota_cpus() { return 0; }
int affinity_cpus() { return 0; }
#endif

}  // namespace

int default_threads() {
    if (const int wanted = thread_setting(std::getenv("LEARNT_THREADS"))) return wanted;
    int cpus = affinity_cpus();
    if (cpus == 0) cpus = static_cast<int>(std::thread::hardware_concurrency());
    if (const int quota = quota_cpus()) cpus = std::min(cpus == 0 ? quota : cpus, quota);
    return std::clamp(cpus, 1, most_threads);
}

}  // namespace learnt
