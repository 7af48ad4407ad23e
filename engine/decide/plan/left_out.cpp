#include "engine/decide/plan/left_out.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/base/counted.hpp"

namespace stallcast::plan {
namespace {

/// What is left out is named one by one up to so many; listed values are looked for among so many.
constexpr std::size_t kMostLeftOut = 4, kMostListedLooked = 100;

/// The first of `notes`, and how many `more` there are of them.
void shorten(std::vector<std::string>& notes, std::string_view more) {
  if (notes.size() <= kMostLeftOut) return;
  const std::size_t rest = notes.size() - kMostLeftOut;
  notes.resize(kMostLeftOut);
  notes.push_back("left out as well: " + std::to_string(rest) + " more " + std::string(more));
}

}  // namespace

std::vector<std::string> notes_of_left_out(Designs& designs, const Search& search,
                                           const Cell& shown) {
  const std::vector<Axis>& axes = designs.axes();
  const auto value = [&](std::size_t a, std::size_t i) {
    return base::counted(axes[a].about, text_of(axes[a].values[i]));
  };
  std::vector<std::string> out;
  for (std::size_t a = 0; a < shown.size(); ++a)
    for (std::size_t i = 0; axes[a].listed && i < std::min(axes[a].size(), kMostListedLooked);
         ++i) {
      Cell cell = shown;
      cell[a] = i;
      if (const std::optional<Failure> fault = designs.fault(cell))
        out.push_back("left out, since no design has " + value(a, i) + ": " +
                      without_place(*fault));
    }
  shorten(out, "of the listed values");
  std::vector<std::string> lacking;
  for (const auto& [cell, why] : search.lacking) {
    std::string design;
    for (std::size_t a = 0; a < cell.size(); ++a) design += (a > 0 ? ", " : "") + value(a, cell[a]);
    lacking.push_back("left out, since with " + design + " " + why.message);
  }
  shorten(lacking, "designs without that");
  std::move(lacking.begin(), lacking.end(), std::back_inserter(out));
  return out;
}

}  // namespace stallcast::plan
