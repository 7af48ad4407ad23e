#include "engine/decide/predict/predict.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

#include "engine/base/design_values.hpp"
#include "engine/base/parallel.hpp"
#include "engine/decide/predict/record.hpp"
#include "engine/decide/predict/short_run.hpp"
#include "engine/runtime/run/record.hpp"

namespace stallcast::predict {
namespace {

/// What is wrong with a target is wrong in each of many designs: it is said once.
void add_once(const Diagnostic& fault, Diagnostics& faults) {
  const auto same = [&](const Diagnostic& said) {
    return said.code == fault.code && said.pointer == fault.pointer &&
           said.message == fault.message;
  };
  const auto& said = faults.items();
  if (std::none_of(said.begin(), said.end(), same)) faults.add(fault);
}

constexpr double kMostReplicas = 10000.0;

std::uint64_t first_seed(const Design& design, const PredictOptions& options) {
  if (options.seed.has_value()) return *options.seed;
  const Value* seed = design.run.find("seed");
  return seed != nullptr ? static_cast<std::uint64_t>(seed->number) : 1;
}

int replica_count(const Design& design, const PredictOptions& options) {
  if (options.replicas > 0) return options.replicas;
  const Value* replicas = design.run.find("replicas");
  return replicas != nullptr ? static_cast<int>(std::clamp(replicas->number, 1.0, kMostReplicas))
                             : 1;
}

/// What the finished replicas of one design say, or why there is nothing to say. Takes them out of
/// `outcomes`: of many large designs there is one copy of each figure at a time.
Result<Prediction> collect(const Design& design, const std::string& hash,
                           std::span<run::Outcome> outcomes, const PredictOptions& options,
                           std::vector<RunResult>* runs = nullptr) {
  std::vector<RunResult> finished;
  const Failure* unfinished = nullptr;
  for (run::Outcome& outcome : outcomes) {
    if (outcome.ok()) {
      finished.push_back(std::move(outcome).value());
    } else if (outcome.failure().exit != ExitCode::inconclusive) {
      return outcome.failure();
    } else if (unfinished == nullptr) {
      unfinished = &outcome.failure();
    }
  }
  if (finished.empty()) return *unfinished;
  Prediction prediction = combine(design, finished);
  prediction.design_sha256 = hash;
  Diagnostics diags;
  prediction.assertions = check(design, prediction, diags);
  const auto fault = std::ranges::find_if(diags.items(), [&](const Diagnostic& d) {
    return !options.leaves_open || d.code != kNotDone;
  });
  if (fault != diags.items().end()) {
    for (Diagnostic each : diags.items()) {
      each.severity = Severity::error;
      if (options.faults != nullptr) add_once(each, *options.faults);
    }
    return Failure{ExitCode::bad_input, fault->message, fault->hint};
  }
  for (const Diagnostic& open : diags.items()) {
    const auto asked = std::ranges::find_if(
        design.expect, [&](const Expectation& e) { return e.pointer + "/that" == open.pointer; });
    prediction.warnings.push_back("the target \"" + asked->id + "\" is left open: " + open.hint);
  }
  for (const Expectation& e : design.expect)
    if (const auto parsed = base::parse_assertion(e.that); parsed.ok() && !parsed->relative.empty())
      prediction.warnings.push_back("the target \"" + e.id +
                                    "\" compares with a baseline: only "
                                    "\"stallcast check\" judges it");
  for (const auto& warnings : {start_warnings, interval_warnings})
    for (std::string& warning : warnings(design, prediction))
      prediction.warnings.push_back(std::move(warning));
  prediction.verdict = verdict_of(prediction.assertions);
  if (unfinished != nullptr) {
    prediction.verdict = Verdict::inconclusive;
    prediction.warnings.insert(prediction.warnings.begin(),
                               "only " + std::to_string(finished.size()) + " of " +
                                   std::to_string(outcomes.size()) +
                                   " replicas finished: " + unfinished->message);
  }
  if (runs != nullptr) *runs = std::move(finished);
  return prediction;
}

/// The simulations of several designs, one after the other.
struct Batch {
  Batch(std::span<const Design> designs, const PredictOptions& options)
      : Batch(designs, encode(designs, options), options) {}
  Batch(std::span<const Design> designs, run::EncodedDesigns as_sent, const PredictOptions& options)
      : encoded(std::move(as_sent)) {
    for (std::size_t i = 0; i < designs.size(); ++i) {
      const Design& each = designs[i];
      first.push_back(requests.size());
      replicas.push_back(static_cast<std::size_t>(replica_count(each, options)));
      for (std::size_t r = 0; r < replicas.back(); ++r) {
        design.push_back(i);
        requests.emplace_back(encoded[i], first_seed(each, options) + r);
      }
    }
  }

  static run::EncodedDesigns encode(std::span<const Design> designs,
                                    const PredictOptions& options) {
    run::EncodedDesigns out(designs.size());
    base::parallel_for(
        designs.size(), static_cast<std::size_t>(options.run.jobs),
        [&](std::size_t i) { out[i] = std::make_shared<const run::EncodedDesign>(designs[i]); });
    return out;
  }

  std::vector<run::SimulationRequest> requests;
  std::vector<std::size_t> design;  ///< of each request
  run::EncodedDesigns encoded;
  std::vector<std::size_t> first;     ///< request of each design
  std::vector<std::size_t> replicas;  ///< of each design
};

}  // namespace

Result<Prediction> predict(const Design& design, const PredictOptions& options) {
  return std::move(predict_all({&design, 1}, options).front());
}

Result<Prediction> predict(const Design& design, const PredictOptions& options,
                           std::vector<RunResult>& runs) {
  const auto start = std::chrono::steady_clock::now();
  const Batch batch({&design, 1}, options);
  std::vector<run::Outcome> outcomes = run::simulate(batch.requests, options.run);
  Result<Prediction> prediction = collect(design, batch.encoded[0]->hash, outcomes, options, &runs);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (prediction.ok()) prediction->wall_s = wall.count();
  return prediction;
}

Result<Timeline> record(const Design& design, const TimelineRequest& what,
                        const PredictOptions& options) {
  const Batch batch({&design, 1}, options);
  return run::record(batch.requests.front(), what, options.run);
}

std::vector<Result<Prediction>> predict_all(std::span<const Design> designs,
                                            const PredictOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Batch batch(designs, options);
  std::vector<run::Outcome> outcomes = run::simulate(batch.requests, options.run);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  batch.requests.clear();
  std::vector<Result<Prediction>> predictions;
  for (std::size_t i = 0; i < designs.size(); ++i) {
    predictions.push_back(collect(designs[i], batch.encoded[i]->hash,
                                  std::span(outcomes).subspan(batch.first[i], batch.replicas[i]),
                                  options));
    batch.encoded[i].reset();
    if (predictions.back().ok()) predictions.back()->wall_s = wall.count();
  }
  return predictions;
}

std::optional<Failure> predict_each(std::span<const Design> designs, run::EncodedDesigns encoded,
                                    const PredictOptions& options, const TakePrediction& take) {
  const Batch batch(designs, std::move(encoded), options);
  std::vector<std::vector<std::optional<run::Outcome>>> ended(designs.size());
  std::vector<std::size_t> left = batch.replicas;
  for (std::size_t i = 0; i < designs.size(); ++i) ended[i].resize(batch.replicas[i]);
  run::SimulateOptions how = options.run;
  how.on_outcome = [&](std::size_t request, run::Outcome& outcome) {
    const std::size_t i = batch.design[request];
    std::optional<run::Outcome>& place = ended[i][request - batch.first[i]];
    place = outcome.ok() ? std::move(outcome) : outcome;  // failures are looked at below
    if (--left[i] > 0) return;
    std::vector<run::Outcome> outcomes;
    for (auto& one : ended[i]) outcomes.push_back(*std::move(one));
    ended[i].clear();
    take(i, collect(designs[i], batch.encoded[i]->hash, outcomes, options));
  };
  const std::vector<run::Outcome> outcomes = run::simulate(batch.requests, how);
  for (std::size_t request = 0; request < outcomes.size(); ++request)
    if (left[batch.design[request]] > 0 && !outcomes[request].ok())
      return outcomes[request].failure();
  return std::nullopt;
}

double events_of(const Design& design, double simulated) {
  constexpr double kOfValue = 20.0;
  return std::max(simulated, kOfValue * static_cast<double>(base::values_of(design).size()));
}

}  // namespace stallcast::predict
