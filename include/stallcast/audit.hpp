#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/design.hpp"

/// What others claim, next to what Stallcast computes.
namespace stallcast {

/// A verdict on a claim and what it means.
struct ClaimVerdict {
  std::string_view id;
  std::string_view meaning;
};

/// All verdicts, in the order reports count them.
inline constexpr std::array kClaimVerdicts = {
    ClaimVerdict{"right", "our figure is the claimed one, or what is said holds"},
    ClaimVerdict{"depends", "holds for some inputs, not for others; both sides are computed"},
    ClaimVerdict{"inputs wrong", "the sum is right on its own inputs, which are not real ones"},
    ClaimVerdict{"wrong", "our figure is not the claimed one, or what is said does not hold"},
    ClaimVerdict{"inconsistent", "contradicts itself or another claim"},
    ClaimVerdict{"misleading", "the figure exists but does not carry the conclusion"},
    ClaimVerdict{"outdated", "was right once; today's figure is another"},
    ClaimVerdict{"open", "can be neither reproduced nor refuted from public figures"},
    ClaimVerdict{"qualitative", "nothing to compute: an opinion, a definition or advice"}};

/// What the computed figures of a claim say of it.
enum class ClaimOutcome {
  none,     ///< no figure decides: the verdict is argued
  agrees,   ///< every figure agrees with the claim
  off,      ///< no figure agrees
  own_sum,  ///< the sum is right on the claim's own inputs, not on sourced ones
  mixed     ///< some figures agree and some do not: it depends
};

/// A name in the formula of a figure.
struct ClaimTerm {
  std::string name;    ///< "P"
  std::string value;   ///< "70e9"
  std::string source;  ///< "`job.train.au` of `s.json`"; "" when it was just given
};

/// One figure of a claim: what is claimed, what we compute, and from what.
struct ClaimFigure {
  std::string what;               ///< what it is: "with fp32 moments"; may be empty
  std::string formula;            ///< "P * 14"
  std::vector<ClaimTerm> inputs;  ///< everything in the formula
  bool own_inputs = false;        ///< computed from the claim's own inputs, to check its sum
  bool simulated = false;         ///< from a simulation, a search or a bound of a scenario
  bool assumption = false;        ///< an input is a catalogue figure from memory
  std::string claimed;    ///< "420 GB", "40 GB/s to 80 GB/s", ">= 1 TB"; "" when not claimed
  std::string correct;    ///< the figure we stand for, as written; "" when it is the claimed one
  std::string tolerance;  ///< "1 %"; "" when exact
  Dimension dimension = Dimension::number;
  double value = 0.0;          ///< computed, base unit of `dimension`
  bool agrees = false;         ///< `value` is what is claimed, within the tolerance
  bool correct_holds = false;  ///< `value` is `correct` (or `claimed`), within the tolerance
  std::string deviation;  ///< how far off the claim is: "claim 57 % too low"; "" when it agrees
};

/// One claim and what became of it.
struct AuditedClaim {
  std::string id;       ///< "A024"
  std::string claim;    ///< in our words
  std::string verdict;  ///< one of kClaimVerdicts: "right", "wrong", ...
  std::string note;     ///< reason, source, or why it cannot be decided
  std::vector<ClaimFigure> figures;
  ClaimOutcome outcome = ClaimOutcome::none;
  std::vector<std::string> faults;  ///< figures that are not what they should be, a verdict that
                                    ///< does not follow; empty when all is well
};

/// A file of claims.
struct ClaimsFile {
  std::string file;
  std::string id;
  std::string title;
  std::string note;
  std::vector<AuditedClaim> claims;  ///< in the order of the file
};

/// Everything an audit found.
struct Audit {
  std::vector<ClaimsFile> files;
  std::size_t simulations = 0;  ///< distinct scenarios that were simulated
  double wall_s = 0.0;          ///< never part of compared bytes

  [[nodiscard]] bool faultless() const {
    for (const ClaimsFile& file : files)
      for (const AuditedClaim& claim : file.claims)
        if (!claim.faults.empty()) return false;
    return true;
  }
};

}  // namespace stallcast
