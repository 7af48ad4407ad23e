#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/bounds/space.hpp"
#include "stallcast/design.hpp"
#include "stallcast/units.hpp"

/// What is added to storage systems and never removed. docs/models/growth.md, eq. 5.
namespace stallcast::grow {

/// By storage system, what comes.
using Adding = std::map<std::string, std::vector<models::Coming>>;
/// What one month adds; of a month without a valid design, what is to count instead.
using AddingIn = std::function<Adding(int month)>;

[[nodiscard]] Adding adding(const std::vector<models::Room>& rooms);

/// What lies on each storage system in month `until` of what the months before added. Between two
/// months that add alike, and without one of `steps` between them, so do all: those are not asked.
[[nodiscard]] std::map<std::string, Bytes> accumulated(int until, const std::vector<int>& steps,
                                                       const AddingIn& adding_in);

}  // namespace stallcast::grow
