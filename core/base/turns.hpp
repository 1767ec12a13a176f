// Work in turns within one call of run_blocks: blocks are handed out in order, so that one may wait until so many lower ones
// are done, on any number of threads, one included.
//
//   Turns done;
//   run_blocks(count, [&](int64_t b, Job &job) {
//       done.wait_for(how many lower ones, job);
//       ...
//       done.add();
//   });
#pragma once

#include <thread>

#include "base/pool.hpp"

namespace learnt {

class Turns {
    std::atomic<int64_t> done_{0};

  public:
    void add() { done_.fetch_add(1, std::memory_order_release); }

    // A turn takes some microseconds, less than to fall asleep and wake: look a while first. Who waits longer, because others
    // have the processor, sleeps, and asks whether the work shall end: a block that is never done has ended the task.
    void wait_for(int64_t wanted, Job &job) const {
        for (int looks = 0; done_.load(std::memory_order_acquire) < wanted; ++looks) {
            if (looks > 400) {
                job.check();
                std::this_thread::sleep_for(std::chrono::microseconds(10));
            }
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    }
};

// Whether several threads are faster than one at the moment: turns need all of them at once, and where other programs have
// the processors, who waits loses more than is gained. For kernels whose bits do not depend on it. Work comes in pieces, some
// of which try both; the others go the faster way.
class Pace {
    static constexpr int64_t cycle = 64, trials = 3;
    int64_t piece_ = 0;
    double alone_ = 0, together_ = 0;  // seconds for a unit of work

    int64_t phase() const { return piece_ % cycle; }

  public:
    bool alone() const { return phase() < trials || (phase() >= 2 * trials && alone_ <= together_); }

    void took(double seconds) {
        const bool tried = phase() < 2 * trials;
        double &mean = alone() ? alone_ : together_;
        if (phase() % trials == 0 && tried)
            mean = seconds;
        else
            mean += (seconds - mean) / (tried ? static_cast<double>(phase() % trials + 1) : 5.0);
        ++piece_;
    }
};

}  // namespace learnt
