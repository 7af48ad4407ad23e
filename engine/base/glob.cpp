#include "engine/base/glob.hpp"

#include <cstddef>
#include <vector>

#include "stallcast/metric.hpp"

namespace stallcast::base {

bool matches_glob(std::string_view pattern, std::string_view text) {
  // After a mismatch the last star takes one character more: no recursion, quadratic at worst.
  std::size_t p = 0, t = 0;
  std::size_t star = std::string_view::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool matches_metric(std::string_view pattern, std::string_view name) {
  const metric::Name asked = metric::parse(pattern);
  const bool each = asked.id == "*" && !asked.figure.empty();
  if (!each || asked.domain == metric::Domain::resource) return matches_glob(pattern, name);
  const metric::Name own = metric::parse(name);
  const auto from_figure = [](std::string_view full, const metric::Name& parsed) {
    return full.substr(static_cast<std::size_t>(parsed.figure.data() - full.data()));
  };
  return own.domain == asked.domain &&
         matches_glob(from_figure(pattern, asked), from_figure(name, own));
}

bool globs_meet(std::string_view a, std::string_view b) {
  // met[j]: whether the rests of `a` from i on and of `b` from j on meet, from their ends
  // backwards.
  std::vector<bool> met(b.size() + 1), later(b.size() + 1);
  for (std::size_t i = a.size() + 1; i-- > 0; met.swap(later))
    for (std::size_t j = b.size() + 1; j-- > 0;) {
      const bool in_a = i < a.size(), in_b = j < b.size();
      if ((in_a && a[i] == '*') || (in_b && b[j] == '*'))  // it ends, or takes what is opposite
        met[j] = (in_a && later[j]) || (in_b && met[j + 1]);
      else
        met[j] = in_a == in_b && (!in_a || (a[i] == b[j] && later[j + 1]));
    }
  return later[0];
}

}  // namespace stallcast::base
