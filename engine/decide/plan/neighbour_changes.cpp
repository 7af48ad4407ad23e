#include "engine/decide/plan/neighbour_changes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/base/design_values.hpp"
#include "engine/decide/plan/users.hpp"
#include "engine/decide/predict/busiest.hpp"
#include "stallcast/breakdown.hpp"
#include "stallcast/metric.hpp"

namespace stallcast::plan {
namespace {

/// Who uses less of what is moved is in nobody's way.
constexpr double kInTheWay = 0.05;

std::string text_or(const Component& of, std::string_view key, std::string_view otherwise) {
  const Value* value = of.find(key);
  return value == nullptr ? std::string(otherwise) : value->text;
}

class Neighbours {
 public:
  Neighbours(const Design& design, const Prediction& prediction, const ResourceUse& use,
             std::string_view storage)
      : prediction_(prediction), use_(use) {
    for (const JobDesign& job : design.jobs) {
      if (!uses(job, storage)) continue;
      ++sharers_;
      double lost = 0.0;
      for (const char* cause : {"data", "metadata", "checkpoint"})
        lost += share_of(prediction, job.job.id, cause);
      most_lost_ = std::max(most_lost_, lost);
      if (misses(job) && lost >= kNoticeable) missing_.push_back(&job);
    }
    for (const Component& tenant : design.tenants)
      if (text_or(tenant, "on", "") == storage) ++sharers_;
    const predict::BusiestTenant busiest = predict::busiest_tenant(design, prediction, use);
    if (busiest.moved < kInTheWay * use.throughput) return;
    most_ = busiest.moved;
    busiest_ = busiest.tenant;
  }

  [[nodiscard]] std::vector<Proposal> changes() const {
    std::vector<Proposal> out;
    if (most_lost_ < kNoticeable) return out;
    if (busiest_ != nullptr) {
      const std::string priority = text_or(*busiest_, "priority", "normal");
      if (priority != "low")
        out.push_back(
            field_change("tenant", *busiest_, "priority", priority, parse_setting("low")));
      if (const auto limit = left_by_others()) {
        const Value* now = busiest_->find("limit");
        if (now == nullptr || now->number > *limit)
          out.push_back(field_change(
              "tenant", *busiest_, "limit",
              now == nullptr ? "none" : text_of(setting_of(now->number, now->dimension)),
              setting_of(*limit, Dimension::rate)));
      }
    }
    // Before one tenant alone the job goes as well when that is put behind it.
    const bool others = sharers_ > (busiest_ != nullptr ? 2U : 1U);
    if (others && missing_.size() == 1) {
      const Component& job = missing_.front()->job;
      const std::string priority = text_or(job, "priority", "normal");
      if (priority != "high")
        out.push_back(field_change("job", job, "priority", priority, parse_setting("high")));
    }
    return out;
  }

 private:
  [[nodiscard]] bool misses(const JobDesign& job) const {
    return std::ranges::any_of(prediction_.assertions, [&](const AssertionOutcome& outcome) {
      const metric::Name name = metric::parse(outcome.metric);
      return outcome.status != "pass" && outcome.level != "warn" &&
             name.domain == metric::Domain::job && name.id == job.job.id;
    });
  }

  /// Bytes a second that are left where the others get all they ask for: what they move now, over
  /// the part of its time that who loses most does not lose. Half of what the tenant moves where
  /// that holds back nothing, as of saves, which come seldom. Nothing where requests arrive on
  /// their own: held back they would wait for ever.
  [[nodiscard]] std::optional<double> left_by_others() const {
    if (use_.unit != "B/s" || !std::isfinite(use_.capacity)) return std::nullopt;
    for (const char* arrives : {"asked", "behind"})
      if (prediction_.metrics.contains(metric::of_tenant(busiest_->id, arrives)))
        return std::nullopt;
    const double others = std::max(0.0, use_.throughput - most_) / std::max(1.0 - most_lost_, 0.01);
    double left = use_.capacity - others;
    if (!(left > 0.0) || left >= most_) left = 0.5 * most_;
    const double digits = std::pow(10.0, std::floor(std::log10(left)) - 1.0);
    return std::floor(left / digits) * digits;
  }

  const Prediction& prediction_;
  const ResourceUse& use_;
  std::size_t sharers_ = 0;  ///< jobs and tenants
  double most_lost_ = 0.0;
  std::vector<const JobDesign*> missing_;  ///< jobs that miss a target of their own
  const Component* busiest_ = nullptr;
  double most_ = 0.0;  ///< what that tenant moves
};

}  // namespace

std::vector<Proposal> neighbour_changes(const Design& design, const Prediction& prediction,
                                        const std::string& resource) {
  const base::ResourceName name = base::resource_name(resource);
  if (name.role != "storage") return {};
  const auto use = std::ranges::find(prediction.resources, resource, &ResourceUse::name);
  if (use == prediction.resources.end()) return {};
  return Neighbours(design, prediction, *use, name.id).changes();
}

}  // namespace stallcast::plan
