#include "tests/check.hpp"

int main() {
    learnt::test::test_pool();
    learnt::test::test_extremes();
    learnt::test::test_tables();
    learnt::test::test_centers();
    learnt::test::test_kmeans();
    learnt::test::test_encode();
    learnt::test::test_tree();
    learnt::test::test_boost();
    learnt::test::test_stumps();
    learnt::test::test_linkage();
    learnt::test::test_reduce();
    learnt::test::test_ensemble();
    learnt::test::test_forest();
    learnt::test::test_medoids();
    learnt::test::test_control();
    learnt::test::test_detectors();
    learnt::test::test_isolation();
    learnt::test::test_mixture();
    learnt::test::test_hmm();
    learnt::test::test_networks();
    learnt::test::test_bayes();
    learnt::test::test_words();
    learnt::test::test_word_vectors();
    learnt::test::test_csv();
    learnt::test::test_online();
    learnt::test::test_logistic();
    learnt::test::test_penalised();
    learnt::test::test_neighbors();
    learnt::test::test_distance();
    learnt::test::test_instances();
    learnt::test::test_rectangles();
    learnt::test::test_local_fits();
    learnt::test::test_structure();
    learnt::test::test_kernels();
    learnt::test::test_machines();
    learnt::test::test_factors();
    learnt::test::test_nets();
    std::puts("core: all tests passed");
}
