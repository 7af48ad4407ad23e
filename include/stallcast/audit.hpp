#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/design.hpp"

/// What others claim, next to what Stallcast computes.
namespace stallcast {

/// A verdict on a claim, what it means, and when it is given. A figure decides when a claim or a
/// test stands against it.
struct ClaimVerdict {
  std::string_view id;
  std::string_view meaning;
  std::string_view rule;
};

/// All verdicts, in the order reports count them.
inline constexpr std::array kClaimVerdicts = {
    ClaimVerdict{"right", "our figure is the claimed one, or what is said holds",
                 "every deciding figure holds; or none decides and its class argues it"},
    ClaimVerdict{"depends", "holds for some inputs, not for others; both sides are computed",
                 "some deciding figures hold and some are off"},
    ClaimVerdict{"inputs wrong", "the sum is right on its own inputs, which are not real ones",
                 "its own sum holds, every figure from sourced inputs is off"},
    ClaimVerdict{"wrong", "our figure is not the claimed one, or what is said does not hold",
                 "every deciding figure is off, or its own sum is; or none decides and its class "
                 "argues it"},
    ClaimVerdict{"inconsistent", "contradicts itself or another claim",
                 "a figure is off against a claim that it names"},
    ClaimVerdict{"misleading", "the figure exists but does not carry the conclusion",
                 "a figure holds, one is off against the conclusion that it names"},
    ClaimVerdict{"outdated", "was right once; today's figure is another",
                 "a figure is off against one of a date that it names"},
    ClaimVerdict{"open", "can be neither reproduced nor refuted from public figures",
                 "a figure is short of the best public one; or none decides and nothing is "
                 "published"},
    ClaimVerdict{"qualitative", "nothing to compute: an opinion, advice or an input",
                 "no figure decides"}};

/// What a claim rests on that no figure decides.
struct ClaimBasis {
  std::string_view id;
  std::string_view meaning;
};

/// All of them. Only the first three let a note argue "right" or "wrong".
inline constexpr std::array kClaimBases = {
    ClaimBasis{"definition", "by what the words mean, or how the thing is built"},
    ClaimBasis{"documentation", "its documentation, its authors or a paper on it say so"},
    ClaimBasis{"report", "a report of what others report"},
    ClaimBasis{"unpublished", "nothing public decides it"}};

/// What the computed figures of a claim say of it; each but `argued` has one verdict.
enum class ClaimOutcome {
  none,          ///< no figure decides
  argued,        ///< no figure decides, and its class lets the note argue right or wrong
  unpublished,   ///< no figure decides, and nothing is published
  agrees,        ///< every figure agrees with the claim
  off,           ///< no figure agrees, or a sum on the claim's own inputs is off
  own_sum,       ///< the sum is right on the claim's own inputs, not on sourced ones
  mixed,         ///< some figures agree and some do not: it depends
  contradicted,  ///< off against another claim, or another figure of the same one
  dated,         ///< off against the figure of a date
  not_carried,   ///< a figure agrees, and the conclusion does not follow from it
  unmatched      ///< no public figure comes near, which does not refute it
};

/// What the figure of a claim is held against, when that is more than the claim.
enum class ClaimCounter { none, claim, dated, conclusion, published };

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
  bool own_test = false;  ///< the claim gives no such figure: `claimed` is what we test it by
  ClaimCounter counter = ClaimCounter::none;
  std::string against;    ///< of `counter`: "D046", "2024-07", ...
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
  std::string basis;    ///< one of kClaimBases when no figure decides; else ""
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
