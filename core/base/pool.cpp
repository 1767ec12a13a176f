// Threads that wait for work, and what happens to them when the process forks.
#include "base/pool.hpp"

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>

namespace learnt {

std::atomic<int> &thread_count() {
    static std::atomic<int> count{default_threads()};
    return count;
}

void Job::check() {
    if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled{};
    if (stop_requested.load(std::memory_order_relaxed)) throw Stopped{};
    const auto now = Clock::now();
    if (now < next_poll_) return;
    next_poll_ = now + poll_interval;
    if (const auto poll = poll_hook.load()) poll();
}

template <class Step>
void Task::attempt(Step step) noexcept {
    try {
        step();
    } catch (const Job::Cancelled &) {
    } catch (...) {
        if (!cancelled_.exchange(true)) error_ = std::current_exception();
    }
}

void Task::work() noexcept {
    attempt([this] {
        Job job(cancelled_);
        for (int64_t b; (b = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) {
            job.check();
            body_(closure_, b, job);
        }
    });
}

namespace {

class Pool {
    // A task with its caller inside; on the caller's stack.
    struct Ticket {
        Task *const task;
        int64_t helpers = 0;  // workers that work on it
    };

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::vector<std::thread> workers_;
    std::vector<Ticket *> tickets_;
    int64_t running_ = 0;  // callers and workers inside a task
    bool quitting_ = false;
    std::atomic<int64_t> callers_{0};  // −1: taken for a fork

    // Workers, and callers between open and close: what they call runs on their own thread.
    static inline thread_local bool inside = false;

    void serve() {
        inside = true;
        std::unique_lock lock(mutex_);
        for (;;) {
            Ticket *joined = nullptr;
            wake_.wait(lock, [this, &joined] { return quitting_ || (joined = joinable()); });
            if (quitting_) return;
            ++joined->helpers;
            ++running_;
            lock.unlock();
            joined->task->work();
            lock.lock();
            --running_;
            if (--joined->helpers == 0) done_.notify_all();
        }
    }

    // The task with blocks left that has the fewest threads, if one more thread may run.
    Ticket *joinable() const {
        if (running_ >= thread_count().load()) return nullptr;
        Ticket *found = nullptr;
        for (Ticket *const ticket : tickets_)
            if (!ticket->task->all_taken() && (!found || ticket->helpers < found->helpers)) found = ticket;
        return found;
    }

    void open(Ticket &ticket, int64_t helpers) {
        const std::lock_guard lock(mutex_);
        try {
            while (static_cast<int64_t>(workers_.size()) < helpers) workers_.emplace_back([this] { serve(); });
        } catch (const std::system_error &) {  // no more threads to be had: fewer do the work
        }
        tickets_.push_back(&ticket);
        ++running_;
    }

    void close(Ticket &ticket) {
        std::unique_lock lock(mutex_);
        std::erase(tickets_, &ticket);
        --running_;
        if (!tickets_.empty()) wake_.notify_one();  // in place of this thread
        while (!done_.wait_for(lock, poll_interval, [&ticket] { return ticket.helpers == 0; })) {
            lock.unlock();
            if (const auto poll = poll_hook.load()) ticket.task->attempt(poll);
            forked_guard();
            lock.lock();
        }
    }

    // A signal handler run by the poll may fork; in the child the workers are gone and will never finish.
    void forked_guard() const {
        if (current() != this) throw std::runtime_error("the process was forked inside a running kernel");
    }

    // The pool in use. Never destroyed: workers may outlive static objects.
    static Pool *&current() {
        static Pool *pool = (listen_to_forks(), new Pool);
        return pool;
    }

    static void listen_to_forks() {
#if !defined(_WIN32)  // which has no fork
        pthread_atfork(before_fork, after_fork, in_child);
#endif
    }

    // fork copies the calling thread only. Idle workers are joined before it (they start again when needed),
    // which leaves nothing behind in the child and lets Python see a process with one thread. A busy pool
    // is left alone, for its caller may wait for a lock the forking thread holds; the child starts a new one.
    static inline thread_local bool taken_for_fork = false;
    [[maybe_unused]] static void before_fork() {
        taken_for_fork = current()->take();
        if (taken_for_fork) current()->retire();
    }
    [[maybe_unused]] static void after_fork() {
        if (taken_for_fork) current()->release();
    }
    [[maybe_unused]] static void in_child() {
        if (taken_for_fork)
            current()->release();
        else
            current() = new Pool;
    }

    bool take() {
        int64_t none = 0;
        return callers_.compare_exchange_strong(none, -1, std::memory_order_acquire);
    }
    void release() { callers_.store(0, std::memory_order_release); }

    bool enter() {
        int64_t n = callers_.load(std::memory_order_relaxed);
        while (n >= 0 && !callers_.compare_exchange_weak(n, n + 1, std::memory_order_acquire)) {
        }
        return n >= 0;
    }
    void leave() { callers_.fetch_sub(1, std::memory_order_release); }

    struct Inside {
        Inside() { inside = true; }
        ~Inside() { inside = false; }
    };

    void retire() {
        {
            const std::lock_guard lock(mutex_);
            quitting_ = true;
        }
        wake_.notify_all();
        for (std::thread &worker : workers_) worker.join();
        workers_.clear();
        quitting_ = false;
    }

  public:
    static void run(Task &task, int64_t helpers) {
        Pool *const pool = helpers > 0 && !inside ? current() : nullptr;
        if (!pool || !pool->enter()) {
            task.work();
        } else {
            const Inside mark;
            Ticket ticket{&task};
            pool->open(ticket, helpers);
            pool->wake_.notify_all();
            task.work();
            pool->forked_guard();
            pool->close(ticket);
            pool->leave();
        }
        task.rethrow();
    }
};

}  // namespace

void run_task(Task &task, int64_t helpers) { Pool::run(task, helpers); }

}  // namespace learnt
