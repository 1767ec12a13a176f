#include "check.hpp"

int main() {
    learnt::test::test_pool();
    learnt::test::test_tables();
    learnt::test::test_centers();
    learnt::test::test_encode();
    std::puts("core: all tests passed");
}
