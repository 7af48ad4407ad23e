#include "engine/decide/uncertain/discrepancy.hpp"

namespace stallcast::uncertain {

double discrepancy_of(std::string_view /*metric*/, std::string_view /*unit*/) { return 0.0; }

}  // namespace stallcast::uncertain
