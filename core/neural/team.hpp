// Threads that stay together over many short regions.
//
// A step of a net takes a few hundred microseconds and has two regions or more: threads that slept between them, as the
// pool's do, would take longer to wake than to work. So the pool is entered once, by work_as_team(body): one thread
// runs body(team), the others wait for its regions awake.
//
//   team.run(count, region)      region(b) once for every b in [0, count), on the threads that came
//
// Each thread begins with blocks of its own, the same in every region of as many blocks, and takes what others have left
// when it is done: numbers that are written in every step stay in one core's cache where they can. A thread that never
// comes (the pool is busy) is not waited for.
#pragma once

#include <thread>

#include "base/pool.hpp"
#include "simd/levels.hpp"

namespace learnt {

class Team {
    void (*call_)(const void *, int64_t) = nullptr;
    const void *region_ = nullptr;
    const int64_t threads_;
    int64_t count_ = 0, regions_ = 0;
    std::exception_ptr error_;
    std::atomic<int64_t> open_{0};  // the number of the region that may be entered, 0 for none
    std::vector<std::atomic<int64_t>> next_;  // the next block of each thread's own
    std::atomic<int64_t> done_{0}, guests_{0};
    std::atomic<bool> closed_{false}, failed_{false};

    // Awake for as long as a region may take, then ready to let others have the core.
    static void pause(int &turns) {
        if (++turns < 65536) {
#if LEARNT_X86
            __builtin_ia32_pause();
#endif
        } else {
            std::this_thread::yield();
        }
    }

    int64_t first_of(int64_t thread) const { return count_ * thread / threads_; }

    void work(int64_t thread) {
        for (int64_t k = 0; k < threads_; ++k) {
            const int64_t of = (thread + k) % threads_, last = first_of(of + 1);
            for (int64_t b; (b = next_[static_cast<size_t>(of)].fetch_add(1)) < last; done_.fetch_add(1)) call_(region_, b);
        }
    }

    void help(int64_t thread, Job &job) {
        int64_t seen = 0;
        for (int turns = 0; !closed_.load(); pause(turns)) {
            if (turns % 1024 == 1023) job.check();
            const int64_t number = open_.load();
            if (number == 0 || number == seen) continue;
            guests_.fetch_add(1);  // from here on the region stays, if it is still open
            if (open_.load() == number) {
                try {
                    work(thread);
                } catch (...) {
                    if (!failed_.exchange(true)) error_ = std::current_exception();
                }
            }
            guests_.fetch_sub(1);
            seen = number, turns = 0;
        }
    }

    template <class Body>
    friend void work_as_team(bool others, const Body &body);

    int64_t leader_ = 0;

  public:
    explicit Team(int64_t threads) : threads_(threads), next_(static_cast<size_t>(threads)) {}

    template <class Region>
    void run(int64_t count, const Region &region) {
        if (count <= 0) return;
        call_ = [](const void *given, int64_t b) { (*static_cast<const Region *>(given))(b); };
        region_ = &region, count_ = count;
        for (int64_t t = 0; t < threads_; ++t) next_[static_cast<size_t>(t)].store(first_of(t));
        done_.store(0), open_.store(++regions_);
        const struct Leave {
            Team &team;
            ~Leave() {
                team.open_.store(0);
                for (int turns = 0; team.guests_.load() > 0;) pause(turns);
            }
        } leave{*this};
        work(leader_);
        for (int turns = 0; done_.load() < count && !failed_.load();) pause(turns);
        if (failed_.load()) std::rethrow_exception(error_);
    }
};

// body(team) once, on any thread; without `others`, on this one. Inside, the pool is taken: regions go through the team.
template <class Body>
void work_as_team(bool others, const Body &body) {
    const int64_t threads = others ? std::max(thread_count().load(), 1) : 1;
    Team team(threads);
    std::atomic<bool> led{false};
    run_blocks(threads, [&](int64_t thread, Job &job) {
        if (led.exchange(true)) {
            team.help(thread, job);
            return;
        }
        team.leader_ = thread;
        const struct Close {
            Team &team;
            ~Close() { team.closed_.store(true); }
        } close{team};
        body(team);
    });
}

}  // namespace learnt
