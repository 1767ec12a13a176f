// k-d trees are compiled once, with the bindings of neighbours.
#pragma once

#include "neighbors/kd_tree.hpp"

namespace learnt {

extern template struct KdTree<float>;
extern template struct KdTree<double>;

}  // namespace learnt
