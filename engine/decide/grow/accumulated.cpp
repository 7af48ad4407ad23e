#include "engine/decide/grow/accumulated.hpp"

#include <algorithm>
#include <set>

namespace stallcast::grow {
namespace {

constexpr Seconds kMonth = Seconds::from(365.25 / 12.0, unit::d);

/// What each month adds, looked at where it may differ.
class AddedBy {
 public:
  explicit AddedBy(const AddingIn& adding_in) : adding_in_(adding_in) {}

  const Adding& at(int month) {
    const auto known = known_.find(month);
    return known != known_.end() ? known->second
                                 : known_.emplace(month, adding_in_(month)).first->second;
  }

  void fill(int from, int to) {
    if (to - from < 2) return;
    const bool alike = at(from) == at(to);
    const int middle = from + (to - from) / 2;
    if (alike) {
      for (int month = from + 1; month < to; ++month) known_.emplace(month, at(from));
      return;
    }
    fill(from, middle);
    fill(middle, to);
  }

 private:
  const AddingIn& adding_in_;
  std::map<int, Adding> known_;
};

}  // namespace

Adding adding(const std::vector<models::Room>& rooms) {
  Adding out;
  for (const models::Room& room : rooms)
    if (!room.coming.empty()) out[room.storage] = room.coming;
  return out;
}

// Σ g_i x 30.4 d over the months before, of what begins or ends the days of each in which it comes:
// the run begins with month 0.    [docs/models/growth.md, eq. 5]
std::map<std::string, Bytes> accumulated(int until, const std::vector<int>& steps,
                                         const AddingIn& adding_in) {
  std::map<std::string, Bytes> out;
  if (until <= 0) return out;
  std::set<int> ends{0, until - 1};
  for (const int step : steps)
    if (step > 0 && step < until) ends.insert({step - 1, step});
  AddedBy months(adding_in);
  for (auto from = ends.begin(), to = std::next(from); to != ends.end(); ++from, ++to)
    months.fill(*from, *to);
  for (int month = 0; month < until; ++month)
    for (const auto& [storage, coming] : months.at(month))
      out[storage] += models::come_by(coming, kMonth * (month + 1.0)) -
                      models::come_by(coming, kMonth * static_cast<double>(month));
  return out;
}

}  // namespace stallcast::grow
