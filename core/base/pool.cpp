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
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::vector<std::thread> workers_;
    Task *task_ = nullptr;
    int64_t open_ = 0;    // workers that may still join the task
    int64_t active_ = 0;  // workers that work on it
    bool quitting_ = false;
    std::atomic<bool> busy_{false};

    void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [this] { return quitting_ || open_ > 0; });
            if (quitting_) return;
            --open_;
            ++active_;
            Task *const task = task_;
            lock.unlock();
            task->work();
            lock.lock();
            if (--active_ == 0) done_.notify_one();
        }
    }

    void open(Task &task, int64_t helpers) {
        const std::lock_guard lock(mutex_);
        try {
            while (static_cast<int64_t>(workers_.size()) < helpers) workers_.emplace_back([this] { serve(); });
        } catch (const std::system_error &) {  // no more threads to be had: fewer do the work
        }
        task_ = &task;
        open_ = helpers;
    }

    void close(Task &task) {
        std::unique_lock lock(mutex_);
        open_ = 0;
        while (!done_.wait_for(lock, poll_interval, [this] { return active_ == 0; })) {
            lock.unlock();
            if (const auto poll = poll_hook.load()) task.attempt(poll);
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

    bool take() { return !busy_.exchange(true, std::memory_order_acquire); }
    void release() { busy_.store(false, std::memory_order_release); }

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
        Pool *const pool = helpers > 0 ? current() : nullptr;
        if (!pool || !pool->take()) {
            task.work();
        } else {
            pool->open(task, helpers);
            pool->wake_.notify_all();
            task.work();
            pool->forked_guard();
            pool->close(task);
            pool->release();
        }
        task.rethrow();
    }
};

}  // namespace

void run_task(Task &task, int64_t helpers) { Pool::run(task, helpers); }

}  // namespace learnt
