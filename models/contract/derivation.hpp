#pragma once

#include <string>
#include <vector>

#include "stallcast/design.hpp"

/// Figures that closed forms give, with the equation and what is in it. `explain` makes its
/// trees of them, and tests put the values in again.
namespace stallcast::models {

/// One symbol of an equation and where its value comes from.
struct Term {
  std::string symbol;  ///< as the equation writes it
  std::string from;    ///< an input ("jobs[train].loader.batch"), the name of another derivation,
                       ///< "resource.R.capacity"; "", or an input that is not given: `value` is all
                       ///< there is to say
  double value = 0.0;  ///< SI base unit; of what is given or derived the reader looks it up
  Dimension dimension = Dimension::number;
  std::string meaning = {};  ///< what the symbol stands for
};
/// A value that no input and no other derivation is.
[[nodiscard]] inline Term figure(std::string symbol, double value, Dimension dimension,
                                 std::string meaning) {
  return {std::move(symbol), "", value, dimension, std::move(meaning)};
}

/// An equation over its terms, as engine/base/expression.hpp reads it. Empty: none is shown, and
/// `explain` finds out by itself which inputs count.
struct Rule {
  std::string equation = {};   ///< "readers * batch * sample / compute"
  std::string reference = {};  ///< "docs/models/bounds.md, eq. 1"
  std::vector<Term> terms = {};
};

/// One derived line: what, how much, from what.
struct Derivation {
  std::string name;    ///< metric-like: "job.train.read.demand"
  double value = 0.0;  ///< SI base unit
  Dimension dimension = Dimension::number;
  std::string formula;  ///< "512 GPUs x 100000 tokens/s x 2 B = 102.4 MB/s"
  Rule rule = {};
  std::string remark = {};  ///< beside the rule: "nothing is said of fabric"
};

}  // namespace stallcast::models
