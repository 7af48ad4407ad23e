#include "engine/decide/plan/designs.hpp"

#include <algorithm>
#include <utility>

namespace stallcast::plan {
namespace {

/// Designs that are kept for the next question about them.
constexpr std::size_t kKept = 4096;
/// Of many that are made, so many are in memory at a time: those of 200 jobs have 15 MB each.
constexpr std::size_t kAtOnce = 64;

int replicas_of(const Design& design, const predict::PredictOptions& options) {
  if (options.replicas > 0) return options.replicas;
  const Value* value = design.run.find("replicas");
  return value != nullptr ? static_cast<int>(value->number) : 1;
}

/// Adds what an outage does to the targets.
void add_outage(Prediction& whole, const Prediction& broken, const PartDown& outage) {
  for (AssertionOutcome outcome : broken.assertions) {
    predict::name_limit(broken, outcome);
    outcome.id += outage_suffix(outage);
    whole.assertions.push_back(std::move(outcome));
  }
  const bool fails = whole.verdict == Verdict::fail || broken.verdict == Verdict::fail;
  if (fails)
    whole.verdict = Verdict::fail;
  else if (broken.verdict != Verdict::pass)
    whole.verdict = Verdict::inconclusive;
}

Failure late() {
  return {ExitCode::inconclusive, "time limit reached", "raise --time-limit or lower --replicas"};
}

}  // namespace

std::string without_place(const Failure& failure) {
  const std::size_t pointer = failure.message.find(": /");
  const std::size_t end =
      pointer == std::string::npos ? pointer : failure.message.find(": ", pointer + 3);
  return end == std::string::npos ? failure.message : failure.message.substr(end + 2);
}

std::string outage_suffix(const PartDown& outage) { return " (" + outage.label + " down)"; }

Designs::Designs(RedesignAll redesign, std::vector<Axis> axes, std::vector<PartDown> outages,
                 const predict::PredictOptions& options, std::int64_t most_replicas)
    : redesign_(std::move(redesign)),
      axes_(std::move(axes)),
      outages_(std::move(outages)),
      options_(options),
      most_replicas_(static_cast<int>(most_replicas)) {}

std::vector<Change> Designs::changes(const Cell& cell) const {
  std::vector<Change> out;
  for (std::size_t a = 0; a < cell.size(); ++a)
    out.push_back({axes_[a].about.path, axes_[a].values[cell[a]]});
  return out;
}

bool Designs::finished(const Result<Prediction>& prediction, const Design& design) const {
  return prediction.ok() &&
         static_cast<int>(prediction->seeds.size()) >= replicas_of(design, options_);
}

Result<Design> Designs::make(std::span<const Change> changes) const {
  Result<Design> design = redesign_(changes);
  if (design.ok())
    std::erase_if(design->expect, [](const Expectation& e) {
      const auto parsed = base::parse_assertion(e.that);
      return parsed.ok() && predict::is_plan_metric(parsed->metric);
    });
  return design;
}

const Result<Design>& Designs::at(const Cell& cell) {
  const auto known = made_.find(cell);
  if (known != made_.end()) return known->second;
  if (made_.size() >= kKept) made_.clear();
  return made_.emplace(cell, make(changes(cell))).first->second;
}

std::optional<Failure> Designs::fault(const Cell& cell) {
  if (const Result<Design>& design = at(cell); !design.ok()) return design.failure();
  for (const PartDown& outage : outages_) {
    if (const Result<Design> broken = make(outage.on_top_of(changes(cell))); !broken.ok())
      return Failure{broken.failure().exit,
                     "with " + outage.label + " down: " + without_place(broken.failure()),
                     broken.failure().hint};
  }
  return std::nullopt;
}

std::vector<Design> Designs::variants(const Cell& cell) {
  std::vector<Design> out = {*at(cell)};
  for (const PartDown& outage : outages_) {
    if (Result<Design> design = make(outage.on_top_of(changes(cell))); design.ok())
      out.push_back(std::move(design).value());
  }
  return out;
}

int Designs::usual_replicas(const Cell& cell) { return replicas_of(*at(cell), options_); }

std::vector<Result<Prediction>> Designs::as_run(std::span<const Design> variants) {
  if (out_of_time()) return std::vector<Result<Prediction>>(variants.size(), late());
  return predict::predict_all(variants, options_);
}

std::vector<Result<Prediction>> Designs::simulate(std::span<const Design> designs) {
  if (out_of_time()) return std::vector<Result<Prediction>>(designs.size(), late());
  std::vector<Result<Prediction>> out = as_run(designs);
  predict::PredictOptions more = options_;
  // More replicas where an interval straddles a limit; those there are come from memory.
  for (std::size_t i = 0; i < out.size(); ++i) {
    int replicas = replicas_of(designs[i], options_);
    while (replicas > 1 && out[i].ok() && out[i]->verdict == Verdict::inconclusive &&
           2 * replicas <= most_replicas_ && !out_of_time()) {
      more.replicas = replicas *= 2;
      out[i] = predict::predict(designs[i], more);
    }
  }
  return out;
}

std::vector<Result<Prediction>> Designs::predict(std::span<const Cell> cells) {
  std::vector<std::vector<Change>> all;
  for (const Cell& cell : cells) all.push_back(changes(cell));
  return predict(all);
}

std::vector<Result<Prediction>> Designs::predict(std::span<const std::vector<Change>> changes) {
  std::vector<Design> designs;
  std::vector<Result<Prediction>> out;
  std::vector<std::size_t> place;  // of each of `changes` among the designs
  const std::size_t each = 1 + outages_.size();
  for (const std::vector<Change>& these : changes) {
    std::vector<Design> made;
    std::optional<Failure> failure;
    for (std::size_t o = 0; o < each && !failure; ++o) {
      Result<Design> design = make(o > 0 ? outages_[o - 1].on_top_of(these) : these);
      if (design.ok())
        made.push_back(std::move(design).value());
      else
        failure = design.failure();
    }
    place.push_back(designs.size());
    if (failure) {
      out.emplace_back(*failure);
    } else {
      out.emplace_back(Prediction{});
      std::move(made.begin(), made.end(), std::back_inserter(designs));
    }
  }
  std::vector<Result<Prediction>> predictions = simulate(designs);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i].ok()) continue;
    out[i] = std::move(predictions[place[i]]);
    for (std::size_t o = 1; o < each && out[i].ok(); ++o) {
      Result<Prediction>& broken = predictions[place[i] + o];
      if (broken.ok())
        add_outage(*out[i], *broken, outages_[o - 1]);
      else
        out[i] = broken.failure();
    }
  }
  return out;
}

void Designs::predict_each(std::span<const std::vector<Change>> changes,
                           const std::function<void(const Result<Prediction>&)>& tell) {
  for (; !changes.empty(); changes = changes.subspan(std::min(kAtOnce, changes.size())))
    for (const Result<Prediction>& made : predict(changes.first(std::min(kAtOnce, changes.size()))))
      tell(made);
}

}  // namespace stallcast::plan
