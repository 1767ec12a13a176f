// The module, its threads, its instruction set, and how it listens to Python.
#if defined(__APPLE__)
#include <pthread.h>
#elif defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <string>

#include "base/pool.hpp"
#include "bind/arrays.hpp"
#include "simd/levels.hpp"

namespace learnt::bind {

void bind_tables(nb::module_ &m);
void bind_centers(nb::module_ &m);
void bind_kmeans(nb::module_ &m);
void bind_encode(nb::module_ &m);
void bind_tree(nb::module_ &m);
void bind_tree_walk(nb::module_ &m);
void bind_thresholds(nb::module_ &m);
void bind_ensemble(nb::module_ &m);
void bind_bayes(nb::module_ &m);
void bind_words(nb::module_ &m);
void bind_word_vectors(nb::module_ &m);
void bind_csv(nb::module_ &m);
void bind_online(nb::module_ &m);
void bind_logistic(nb::module_ &m);
void bind_penalised(nb::module_ &m);
void bind_neighbors(nb::module_ &m);
void bind_neighbor_trees(nb::module_ &m);
void bind_sparse_rows(nb::module_ &m);
void bind_mixed(nb::module_ &m);
void bind_distance(nb::module_ &m);
void bind_instances(nb::module_ &m);
void bind_rectangles(nb::module_ &m);
void bind_local_fits(nb::module_ &m);
void bind_boost_bins(nb::module_ &m);
void bind_boost(nb::module_ &m);
void bind_boost_stream(nb::module_ &m);
void bind_boost_rows(nb::module_ &m);
void bind_forest(nb::module_ &m);
void bind_stumps(nb::module_ &m);
void bind_mixture(nb::module_ &m);
void bind_linkage(nb::module_ &m);
void bind_dbscan(nb::module_ &m);
void bind_reduce(nb::module_ &m);
void bind_medoids(nb::module_ &m);
void bind_density(nb::module_ &m);
void bind_kernel_features(nb::module_ &m);
void bind_machines(nb::module_ &m);
void bind_control(nb::module_ &m);
void bind_drift(nb::module_ &m);
void bind_isolation(nb::module_ &m);
void bind_structure(nb::module_ &m);
void bind_linear_machines(nb::module_ &m);
void bind_hmm(nb::module_ &m);
void bind_networks(nb::module_ &m);
void bind_autoencoder(nb::module_ &m);
void bind_neural(nb::module_ &m);
void bind_factors(nb::module_ &m);

namespace {

// Python's signal handlers run in the main thread alone; no other thread need wait for the lock.
bool in_main_thread() {
#if defined(__linux__)
    return syscall(SYS_gettid) == getpid();
#elif defined(__APPLE__)
    return pthread_main_np() != 0;
#else
    return true;
#endif
}

void poll_python() {
    if (!in_main_thread()) return;
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void set_threads(int64_t n) {
    if (n < 1 || n > most_threads)
        refuse("The number of threads is " + std::to_string(n) + ". Expected 1 to " + std::to_string(most_threads) + ".");
    thread_count() = static_cast<int>(n);
}

void set_simd_level(const std::string &name) {
    for (int l = 0; l < 3; ++l)
        if (level_names[l] == name && supported(Level{l})) {
            current_level() = Level{l};
            return;
        }
    refuse("The SIMD level is '" + name + "'. Expected one of 'baseline', 'avx2', 'avx512' that this processor has.");
}

}  // namespace

}  // namespace learnt::bind

NB_MODULE(_core, m) {
    // Tables that Python keeps until the end (the properties of characters) are no leak worth a message.
    nb::set_leak_warnings(false);
    using namespace learnt;
    using namespace learnt::bind;
    m.doc() = "Kernels of learnt: passes over tables on all threads.";
    poll_hook = poll_python;
    nb::exception<Stopped>(m, "Stopped", PyExc_RuntimeError);

    m.def("get_threads", [] { return thread_count().load(); },
        "How many threads kernels use.");
    m.def("set_threads", &set_threads, nb::arg("n"),
        "Use n threads from now on.");
    m.def("simd_level", [] { return std::string(level_names[static_cast<int>(current_level().load())]); },
        "The instruction set in use: 'baseline', 'avx2' or 'avx512'.");
    m.def("set_simd_level", &set_simd_level, nb::arg("name"),
        "Use another instruction set that this processor has.");
    m.def("request_stop", [] { stop_requested = true; },
        "Make all kernels raise Stopped, running ones included, until clear_stop().");
    m.def("clear_stop", [] { stop_requested = false; },
        "Let kernels run again.");
    bind_tables(m);
    bind_centers(m);
    bind_kmeans(m);
    bind_encode(m);
    bind_tree(m);
    bind_tree_walk(m);
    bind_thresholds(m);
    bind_ensemble(m);
    bind_bayes(m);
    bind_words(m);
    bind_word_vectors(m);
    bind_csv(m);
    bind_online(m);
    bind_logistic(m);
    bind_penalised(m);
    bind_neighbors(m);
    bind_neighbor_trees(m);
    bind_sparse_rows(m);
    bind_mixed(m);
    bind_distance(m);
    bind_instances(m);
    bind_rectangles(m);
    bind_local_fits(m);
    bind_boost_bins(m);
    bind_boost(m);
    bind_boost_stream(m);
    bind_boost_rows(m);
    bind_forest(m);
    bind_stumps(m);
    bind_mixture(m);
    bind_linkage(m);
    bind_dbscan(m);
    bind_reduce(m);
    bind_medoids(m);
    bind_density(m);
    bind_kernel_features(m);
    bind_machines(m);
    bind_control(m);
    bind_drift(m);
    bind_isolation(m);
    bind_structure(m);
    bind_linear_machines(m);
    bind_hmm(m);
    bind_networks(m);
    bind_autoencoder(m);
    bind_neural(m);
    bind_factors(m);
}
