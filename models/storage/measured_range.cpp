#include "models/storage/measured_range.hpp"

#include <algorithm>

#include "engine/base/quantity_text.hpp"

namespace stallcast::models {
namespace {

constexpr double kNone = 1e-9;   // requests: rounding
constexpr double kAbout = 0.9;   // processes do not begin and end at one time
constexpr double kExact = 1e-3;  // of sizes and depths

std::string size(Bytes b) { return base::print_quantity(b.in(unit::B), Dimension::bytes); }

std::string number(double n) { return base::print_quantity(n, Dimension::number); }

std::string of_requests(double n) {
  const std::string count = number(n);
  return count + (count == "1" ? " request" : " requests") + " in flight";
}

}  // namespace

double InFlight::outstanding(bool writes) const {
  const double of_way = ways_[writes ? 1 : 0].outstanding;
  return one_line_ && of_way > kNone ? ways_[0].outstanding + ways_[1].outstanding : of_way;
}

void InFlight::note(bool writes, double more, Seconds now) {
  for (const bool way : {false, true}) {
    const double there = outstanding(way);
    if (there <= kNone) continue;
    Way& of = ways_[way ? 1 : 0];
    of.busy += now - changed_;
    of.waited += there * (now - changed_).in(unit::s);
  }
  changed_ = now;
  ways_[writes ? 1 : 0].outstanding += more;
}

void AskedRange::note(Bytes request, double in_flight) {
  least_ = std::min(least_, request);
  most_ = std::max(most_, request);
  deepest_ = std::max(deepest_, in_flight);
}

std::vector<std::string> AskedRange::outside(const MeasuredRange& measured, const std::string& way,
                                             double in_flight) const {
  std::vector<std::string> out;
  if (measured.smallest && least_ < *measured.smallest * (1.0 - kExact))
    out.push_back(way + " of " + size(least_) + " are smaller than the " +
                  size(*measured.smallest) + " measured");
  if (measured.largest && most_ > *measured.largest * (1.0 + kExact))
    out.push_back(way + " of " + size(most_) + " are larger than the " + size(*measured.largest) +
                  " measured");
  if (measured.deepest && deepest_ > *measured.deepest * (1.0 + kExact))
    out.push_back(way + " have " + of_requests(deepest_) + ", more than the " +
                  number(*measured.deepest) + " measured");
  if (measured.shallowest && in_flight > 0.0 && in_flight < *measured.shallowest * kAbout)
    out.push_back(way + " have " + of_requests(in_flight) + " in the mean, fewer than the " +
                  number(*measured.shallowest) + " measured");
  return out;
}

}  // namespace stallcast::models
