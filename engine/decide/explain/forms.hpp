#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "engine/decide/explain/influence.hpp"
#include "models/bounds/bounds.hpp"
#include "stallcast/explanation.hpp"
#include "stallcast/prediction.hpp"

/// Trees of what is known without simulating.
namespace stallcast::explain {

/// What an equation gives for the values of the children in it; none where it cannot be
/// evaluated.
[[nodiscard]] std::optional<double> evaluated(const ExplainNode& node);

/// A number the run gave.
[[nodiscard]] ExplainNode simulated(std::string name, double value, std::string unit,
                                    std::string note = {});

/// Closed forms of one design as trees, down to its inputs.
class Forms {
 public:
  /// `design` must outlive this.
  explicit Forms(const Design& design);
  Forms(const Forms&) = delete;
  Forms& operator=(const Forms&) = delete;

  [[nodiscard]] const Design& design() const { return design_; }
  [[nodiscard]] const models::Bounds& bounds() const { return bounds_; }
  [[nodiscard]] const models::Derivation* find(const std::string& name) const;
  /// The tree of a derivation, a capacity ("resource.R.capacity") or an input. REQUIRES: `known`.
  [[nodiscard]] ExplainNode tree(const std::string& name);
  [[nodiscard]] bool known(const std::string& name) const;

  /// Capacities are those of this run from now on: links reach a share of theirs that a hash drew,
  /// a fault leaves a part.    [docs/models/network.md, eq. 2]
  void given(const RunResult& run);

  /// Of inputs that are as large as each other, to tell those with this word in their path ("write"
  /// in trees of saves); "": the first. Returns the word until now.
  std::string_view prefer(std::string_view word) { return std::exchange(preferred_, word); }
  [[nodiscard]] Influences& influences() { return influences_; }

 private:
  [[nodiscard]] ExplainNode input(const std::string& path) const;
  [[nodiscard]] ExplainNode derived(const models::Derivation& derivation);
  [[nodiscard]] ExplainNode capacity(const std::string& name);
  /// What `node` is made of when no equation is shown: a product of inputs where it is one, else
  /// the inputs it answers to.
  void by_influence(ExplainNode& node);
  /// Whether `node` is the product (or quotient) of what it answers to, made of children then.
  [[nodiscard]] bool product(ExplainNode& node, const std::vector<Influence>& influences) const;

  const Design& design_;
  models::Bounds bounds_;
  std::map<std::string_view, const models::Derivation*> derivations_;  ///< of the bounds
  std::map<std::string, models::Capacity> capacities_;
  std::map<std::string, double> given_;  ///< what a run had of them
  std::map<std::string, const Value*> inputs_;
  Influences influences_;
  std::string_view preferred_;
};

}  // namespace stallcast::explain
