// The threads every kernel shares.
//
//   run_blocks(count, body)      body(b, job) once for every b in [0, count), on all threads
//
// The caller works too. Blocks are handed out by a counter, so which thread gets which is chance; a kernel
// that reduces therefore gives every block a slot of its own and adds the slots in block order. Several threads
// may call at once: together they use thread_count() threads, or as many as there are callers. A thread that has
// no more blocks goes to the task that has the fewest. A nested call runs its blocks in the caller alone. Same bits.
// Bodies call `job.check()` every millisecond or so of work; it throws when the work shall end.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <vector>

#include "base/cpus.hpp"

namespace learnt {

// Thrown by job.check() after stop_requested was set.
struct Stopped : std::runtime_error {
    Stopped() : std::runtime_error("stopped") {}
};

inline std::atomic<bool> stop_requested{false};

// Called now and then by every thread inside a kernel; may throw. The bindings point it at Python's check
// for signals. Not called more often than every poll_interval.
inline std::atomic<void (*)()> poll_hook{nullptr};
inline constexpr std::chrono::milliseconds poll_interval{50};

std::atomic<int> &thread_count();

class Job {
    using Clock = std::chrono::steady_clock;
    struct Cancelled {};

    const std::atomic<bool> &cancelled_;
    Clock::time_point next_poll_ = Clock::now() + poll_interval;

  public:
    explicit Job(const std::atomic<bool> &cancelled) : cancelled_(cancelled) {}

    void check();

    friend class Task;
};

// One call of run_blocks, seen by all threads that work on it.
class Task {
    void (*const body_)(const void *, int64_t, Job &);
    const void *const closure_;
    const int64_t count_;
    std::atomic<int64_t> next_{0};
    std::atomic<bool> cancelled_{false};
    std::exception_ptr error_;

  public:
    template <class Body>
    Task(int64_t count, const Body &body)
        : body_([](const void *closure, int64_t b, Job &job) { (*static_cast<const Body *>(closure))(b, job); }),
          closure_(&body),
          count_(count) {}

    void work() noexcept;

    // Whether nobody who came now would find a block.
    bool all_taken() const noexcept {
        return cancelled_.load(std::memory_order_relaxed) || next_.load(std::memory_order_relaxed) >= count_;
    }

    // Runs a step; its exception, if the first, ends the task.
    template <class Step>
    void attempt(Step step) noexcept;

    // To be called when no thread works on it any more.
    void rethrow() const {
        if (error_) std::rethrow_exception(error_);
    }
};

// The task on the calling thread and on at most so many others, as they become free.
void run_task(Task &task, int64_t helpers);

template <class Body>
void run_blocks(int64_t count, const Body &body) {
    if (count <= 0) return;
    Task task(count, body);
    run_task(task, std::min<int64_t>(thread_count().load(), count) - 1);
}

}  // namespace learnt
