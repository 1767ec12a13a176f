// Blocks run once each, errors reach the caller, forks and threads do no harm.
// ThreadSanitizer does not follow threads into the children of a process that had several; Windows has no forks.
#if !defined(_WIN32) && !defined(__SANITIZE_THREAD__)
#define LEARNT_TEST_FORKS
#include <sys/wait.h>
#include <unistd.h>
#endif

#include <chrono>
#include <numeric>
#include <thread>

#include "base/pool.hpp"
#include "tests/check.hpp"

namespace learnt::test {

static int64_t sum_of_blocks(int64_t count) {
    std::vector<int64_t> slots(static_cast<size_t>(count), -1);
    run_blocks(count, [&](int64_t b, Job &job) {
        job.check();
        CHECK(slots[static_cast<size_t>(b)] == -1);
        slots[static_cast<size_t>(b)] = b;
    });
    return std::accumulate(slots.begin(), slots.end(), int64_t{0});
}

static void every_block_runs_once() {
    for (int threads : {1, 2, 7}) {
        thread_count() = threads;
        for (int64_t count : {0, 1, 2, 5, 1000}) CHECK(sum_of_blocks(count) == count * (count - 1) / 2);
    }
}

static void a_nested_call_runs_inline() {
    thread_count() = 3;
    std::atomic<int64_t> total{0};
    run_blocks(10, [&](int64_t, Job &) { total += sum_of_blocks(10); });
    CHECK(total == 450);
}

static void an_error_reaches_the_caller_and_ends_the_others() {
    for (int threads : {1, 4}) {
        thread_count() = threads;
        bool caught = false;
        try {
            run_blocks(1000, [&](int64_t b, Job &job) {
                if (b == 7) throw std::invalid_argument("seven");
                for (int i = 0; i < 10; ++i) job.check();
            });
        } catch (const std::invalid_argument &error) {
            caught = std::string(error.what()) == "seven";
        }
        CHECK(caught);
        CHECK(sum_of_blocks(100) == 4950);
    }
}

static void a_stop_request_ends_a_task() {
    thread_count() = 2;
    stop_requested = true;
    bool stopped = false;
    try {
        sum_of_blocks(3);
    } catch (const Stopped &) {
        stopped = true;
    }
    stop_requested = false;
    CHECK(stopped);
}

static void the_poll_may_throw() {
    thread_count() = 2;
    static std::atomic<int> polls;
    polls = 0;
    poll_hook = +[] {
        if (++polls == 2) throw std::runtime_error("signal");
    };
    bool caught = false;
    try {
        run_blocks(2, [](int64_t, Job &job) {
            for (;;) job.check();
        });
    } catch (const std::runtime_error &error) {
        caught = std::string(error.what()) == "signal";
    }
    poll_hook = nullptr;
    CHECK(caught);
}

static void callers_in_many_threads_do_not_disturb_each_other() {
    thread_count() = 3;
    std::vector<std::thread> callers;
    for (int t = 0; t < 8; ++t)
        callers.emplace_back([] {
            for (int i = 0; i < 50; ++i) CHECK(sum_of_blocks(40) == 780);
        });
    for (std::thread &caller : callers) caller.join();
}

template <class Condition>
static bool becomes(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

static void threads_that_one_task_needs_no_more_go_to_another() {
    thread_count() = 3;
    std::atomic<int> begun{0}, met{0};
    std::atomic<bool> go{false};
    std::thread first([&] {
        run_blocks(3, [&](int64_t, Job &) {
            ++begun;
            CHECK(becomes([&] { return go.load(); }));
        });
    });
    CHECK(becomes([&] { return begun == 3; }));  // its caller and both workers
    std::thread second([&] {
        run_blocks(3, [&](int64_t, Job &) {
            ++met;
            CHECK(becomes([&] { return met == 3; }));  // by three threads at once
        });
    });
    CHECK(becomes([&] { return met == 1; }));
    CHECK(met == 1);  // three threads run besides
    go = true;
    first.join();
    second.join();
    CHECK(met == 3);
}

#if defined(LEARNT_TEST_FORKS)
static void a_forked_child_works() {
    thread_count() = 3;
    for (int round = 0; round < 20; ++round) {
        CHECK(sum_of_blocks(100) == 4950);
        const pid_t child = fork();
        if (child == 0) _exit(sum_of_blocks(100) == 4950 ? 0 : 1);
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
}

static void a_child_forked_beside_a_running_kernel_works() {
    thread_count() = 3;
    std::atomic<bool> done{false};
    std::thread other([&] {
        while (!done) sum_of_blocks(200);
    });
    for (int round = 0; round < 20; ++round) {
        const pid_t child = fork();
        if (child == 0) _exit(sum_of_blocks(100) == 4950 ? 0 : 1);
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    done = true;
    other.join();
}
#endif

static void settings_that_are_no_number_of_threads_are_ignored() {
    for (const char *bad : {"", "0", "-3", "2.5", "many", "4 ", "99999999999999999999"}) CHECK(thread_setting(bad) == 0);
    CHECK(thread_setting("12") == 12);
    CHECK(default_threads() >= 1);
}

void test_pool() {
    every_block_runs_once();
    a_nested_call_runs_inline();
    an_error_reaches_the_caller_and_ends_the_others();
    a_stop_request_ends_a_task();
    the_poll_may_throw();
    callers_in_many_threads_do_not_disturb_each_other();
    threads_that_one_task_needs_no_more_go_to_another();
#if defined(LEARNT_TEST_FORKS)
    a_forked_child_works();
    a_child_forked_beside_a_running_kernel_works();
#endif
    settings_that_are_no_number_of_threads_are_ignored();
}

}  // namespace learnt::test
