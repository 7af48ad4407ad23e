#include "engine/predict/predict.hpp"

#include <algorithm>
#include <chrono>
#include <memory>

namespace stallcast::predict {
namespace {

constexpr double kMostReplicas = 10000.0;

std::uint64_t first_seed(const Design& design, const Options& options) {
  if (options.seed.has_value()) return *options.seed;
  const Value* seed = design.run.find("seed");
  return seed != nullptr ? static_cast<std::uint64_t>(seed->number) : 1;
}

int replica_count(const Design& design, const Options& options) {
  if (options.replicas > 0) return options.replicas;
  const Value* replicas = design.run.find("replicas");
  return replicas != nullptr ? static_cast<int>(std::clamp(replicas->number, 1.0, kMostReplicas))
                             : 1;
}

/// What the finished replicas of one design say, or why there is nothing to say.
Result<Prediction> collect(const Design& design, const std::string& hash,
                           std::span<const run::Outcome> outcomes, Diagnostics* faults) {
  std::vector<RunResult> finished;
  const Failure* unfinished = nullptr;
  for (const run::Outcome& outcome : outcomes) {
    if (outcome.ok()) {
      finished.push_back(outcome.value());
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
  if (diags.has_errors()) {
    const Diagnostic& first = diags.items().front();
    if (faults != nullptr)
      for (const Diagnostic& d : diags.items()) faults->add(d);
    return Failure{ExitCode::bad_input, first.message, first.hint};
  }
  prediction.verdict = verdict_of(prediction.assertions);
  if (unfinished != nullptr) {
    prediction.verdict = Verdict::inconclusive;
    prediction.warnings.insert(prediction.warnings.begin(),
                               "only " + std::to_string(finished.size()) + " of " +
                                   std::to_string(outcomes.size()) +
                                   " replicas finished: " + unfinished->message);
  }
  return prediction;
}

}  // namespace

Result<Prediction> predict(const Design& design, const Options& options) {
  return std::move(predict_all({&design, 1}, options).front());
}

std::vector<Result<Prediction>> predict_all(std::span<const Design> designs,
                                            const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<run::Request> requests;
  std::vector<std::shared_ptr<const run::EncodedDesign>> encoded;
  for (const Design& design : designs) {
    encoded.push_back(std::make_shared<const run::EncodedDesign>(design));
    const int replicas = replica_count(design, options);
    for (int i = 0; i < replicas; ++i) {
      const std::uint64_t seed = first_seed(design, options) + static_cast<std::uint64_t>(i);
      if (options.vary && replicas > 1) {
        Design varied = design;
        options.vary(varied, static_cast<std::size_t>(i));
        requests.emplace_back(varied, seed);
      } else {
        requests.emplace_back(encoded.back(), seed);
      }
    }
  }
  const std::vector<run::Outcome> outcomes = run::simulate(requests, options.run);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;

  std::vector<Result<Prediction>> predictions;
  std::size_t at = 0;
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const auto n = static_cast<std::size_t>(replica_count(designs[i], options));
    predictions.push_back(
        collect(designs[i], encoded[i]->hash, std::span(outcomes).subspan(at, n), options.faults));
    if (predictions.back().ok()) predictions.back()->wall_s = wall.count();
    at += n;
  }
  return predictions;
}

}  // namespace stallcast::predict
