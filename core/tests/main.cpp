#include "check.hpp"

int main() {
    learnt::test::test_pool();
    learnt::test::test_tables();
    learnt::test::test_centers();
    learnt::test::test_encode();
    learnt::test::test_tree();
    learnt::test::test_bayes();
    learnt::test::test_words();
    learnt::test::test_online();
    learnt::test::test_logistic();
    learnt::test::test_penalised();
    std::puts("core: all tests passed");
}
