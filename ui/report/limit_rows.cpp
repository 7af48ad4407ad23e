#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/base/covers.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/label.hpp"
#include "stallcast/metric.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/limit.hpp"
#include "ui/report/summary.hpp"

/// What limits a design, row by row, and what less of it would gain.
namespace stallcast::report {
namespace {

constexpr std::size_t kMostBottlenecks = 5;
/// A resource that costs no time but is this busy is the next to watch.
constexpr double kBusy = 0.3;
/// A faster part changes who comes first: a loss below this is only that.
constexpr double kLoss = 0.005;

/// The share of the time that `b` was waited for; of several that limit together, what all of them
/// were, which have rows of their own.
double waited_share(const Bottleneck& b, const Prediction& p) {
  double blamed = b.blamed_share;
  if (blamed == 0.0 && label::are_several(b.resource))
    for (const ResourceUse& use : p.resources)
      if (base::covers(b.resource, use.name)) blamed += use.blamed_share;
  return blamed * waiting_share(p);
}

/// What is told of neither for its cost nor for what it leaves.
bool is_small(const Bottleneck& b, double cost, const Prediction& p) {
  return cost < kNothing && b.utilization < kBusy && gain_of(b, p) == nullptr;
}

/// From which on a part is told of: "0.05 % of the time", "30 % busy".
std::string least_cost(const Prediction& p) { return base::percent(kNothing, 2) + of_the_time(p); }
std::string least_busy() { return base::percent(kBusy, 0) + " busy"; }

LimitRow limit_row(const Bottleneck& b, double cost, const Prediction& p) {
  LimitRow row{b.resource, tried_phrase(b, p), {}, {}, {}, b.headroom, {}};
  if (const Gain* gain = gain_of(b, p))
    if (gain->by != gain->part && !label::are_several(b.resource))
      row.by = gain->parts.empty() ? gain->by : base::join(gain->parts, " and ");
  if (cost >= kNothing || row.gain.empty()) row.waited = print_share(cost);
  if (b.utilization > 0.0) row.busy = print_share(b.utilization);
  std::vector<std::string> text;
  if (!row.gain.empty()) text.push_back(row.gain);
  if (!row.waited.empty())
    text.push_back(row.waited + of_the_time(p) + (row.gain.empty() ? "" : " waited for"));
  if (!row.busy.empty()) text.push_back(row.busy + " busy");
  if (!b.headroom.empty()) text.push_back(b.headroom);
  row.text = base::join(text, ", ");
  return row;
}

/// What the headline names and is waited for beside all resources: the slowest rank, which costs a
/// share of the time of its own.
std::optional<LimitRow> named_first(const Prediction& p) {
  const Limit limit = limit_of(p);
  if (limit.kind != Limit::Kind::barrier || limit.share < kNothing) return std::nullopt;
  LimitRow row;
  const auto known = std::find_if(p.bottlenecks.begin(), p.bottlenecks.end(),
                                  [&](const Bottleneck& b) { return b.resource == limit.name; });
  if (known != p.bottlenecks.end()) row = limit_row(*known, 0.0, p);
  row.resource = limit.name;
  row.waited = print_share(limit.share);
  row.text = (row.gain.empty() ? "" : row.gain + ", ") + row.waited + of_the_time(p) +
             (limit.job.empty() ? "" : " of " + limit.job) + " waited for";
  return row;
}

}  // namespace

std::vector<LimitRow> limit_rows(const Prediction& p) {
  std::vector<LimitRow> out;
  if (const std::optional<LimitRow> first = named_first(p)) out.push_back(*first);
  const double waiting = waiting_share(p);
  const auto most = std::max_element(
      p.bottlenecks.begin(), p.bottlenecks.end(),
      [](const auto& a, const auto& b) { return a.blamed_share < b.blamed_share; });
  bool told = false;  // what is waited for most, also where less of it gains nothing
  for (auto b = p.bottlenecks.begin(); b != p.bottlenecks.end(); ++b) {
    const double cost = waited_share(*b, p);
    if (!out.empty() && b->resource == out.front().resource && is_barrier(b->resource)) continue;
    if (is_small(*b, cost, p)) continue;
    const bool last = out.size() + 1 == kMostBottlenecks;
    told = told || b == most || most->blamed_share * waiting < kNothing;
    if (last && !told) b = most;
    out.push_back(limit_row(*b, waited_share(*b, p), p));
    if (last) break;
  }
  return out;
}

std::string no_limit_rows(const Prediction& p) {
  const Limit::Kind kind = limit_of(p).kind;
  const std::string none = "no resource costs " + least_cost(p) + " or is " + least_busy();
  const bool named = kind != Limit::Kind::compute && kind != Limit::Kind::unnamed;
  return named ? none + "; " + limit_phrase(p) : "nothing: " + none;
}

std::string limits_left_out(const Prediction& p) {
  const std::vector<LimitRow> rows = limit_rows(p);
  std::size_t small = 0, more = 0;
  for (const Bottleneck& b : p.bottlenecks) {
    if (std::ranges::any_of(rows, [&](const LimitRow& r) { return r.resource == b.resource; }))
      continue;
    ++(is_small(b, waited_share(b, p), p) ? small : more);
  }
  std::vector<std::string> out;
  if (more > 0) out.push_back(count_of(more, "part") + " after these");
  if (small > 0)
    out.push_back(count_of(small, "part") + " below " + least_cost(p) + " and " + least_busy());
  return out.empty() ? "" : "left out: " + base::join(out, ", and ");
}

std::string gain_phrase(const Gain& gain) {
  const auto saves = [](const auto& one) { return one.second >= kLoss; };
  const auto loses = [](const auto& one) { return one.second <= -kLoss; };
  // What one gains at the cost of others is no gain of all.
  if (std::any_of(gain.each.begin(), gain.each.end(), saves) &&
      std::any_of(gain.each.begin(), gain.each.end(), loses)) {
    std::vector<std::string> parts;
    for (const auto& [id, time] : gain.each)
      if (std::abs(time) >= kLoss)
        parts.push_back(print_share(std::abs(time)) + (time < 0.0 ? " more" : " less") +
                        " time for " + id);
    return base::join(parts, ", ");
  }
  const std::string out =
      print_share(std::abs(gain.time)) + (gain.time < 0.0 ? " more time" : " less time");
  if (gain.goodput) return out + " (" + signed_points(*gain.goodput, 1) + " of goodput)";
  return gain.utilization == 0.0 ? out : out + " (" + signed_points(gain.utilization, 1) + ")";
}

std::string worth_phrase(const Bottleneck& b, const Prediction& p) {
  if (!p.gains || !b.gain) return "";
  const double loss = std::max(kLoss, p.gains->noise);
  const auto tell_each = [&](const auto& one) {
    return std::abs(one.second) >= noise_of(*b.gain, one.first, kLoss);
  };
  const bool told = is_gain(*b.gain, p.gains->noise) || is_loss(*b.gain, loss) ||
                    std::any_of(b.gain->each.begin(), b.gain->each.end(), tell_each);
  return told ? gain_phrase(*b.gain) : "nothing";
}

std::string tried_phrase(const Bottleneck& b, const Prediction& p) {
  const std::string worth = worth_phrase(b, p);
  return worth.empty() ? worth : std::string(what_is_tried(b.resource)) + ": " + worth;
}

std::string gains_note(const Prediction& p) {
  if (!p.gains) return "";
  const Gains& gains = *p.gains;
  std::string out;
  const std::string pair = label::several(gains.pair);
  const bool told = std::any_of(p.bottlenecks.begin(), p.bottlenecks.end(),
                                [&](const Bottleneck& b) { return b.resource == pair; });
  if (!gains.pair.empty() && !told)
    out =
        label::of_resource(pair) + " limit together, twice as fast: " + gain_phrase(gains.together);
  else if (gains.simulated > 0 && is_gain(gains.all, gains.noise))
    out = "everything twice as fast: " + gain_phrase(gains.all);
  if (gains.left_out > 0)
    out += (out.empty() ? "" : "; ") + count_of(gains.left_out, "part") +
           " not tried: the design is large";
  // Of what has no part in its name.
  for (const Bottleneck& b : p.bottlenecks)
    if (b.gain && label::of_resource(b.resource).starts_with("combined parts")) {
      out += (out.empty() ? "" : "; ") +
             std::string(
                 "combined parts: all that something is made of, where no part of it alone "
                 "explains the gain");
      break;
    }
  const std::string lasting = lasting_note(p);
  return out + (out.empty() || lasting.empty() ? "" : "; ") + lasting;
}

}  // namespace stallcast::report
