#include "models/dataload/loaders.hpp"

namespace stallcast::models {

LoaderPolicy ideal_policy(const Component&) {
  return {.in_order = false, .fixed_assignment = false};
}

}  // namespace stallcast::models
