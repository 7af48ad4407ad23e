#include <map>

#include "engine/base/quantity_text.hpp"
#include "ui/report/layout.hpp"
#include "ui/report/renderers.hpp"

namespace stallcast::report {
namespace {

using Json = nlohmann::ordered_json;

/// Calls `visit(claim)` for all claims in their order.
template <class Visit>
void each_claim(const Audit& audit, Visit visit) {
  for (const ClaimsFile& file : audit.files)
    for (const AuditedClaim& claim : file.claims) visit(claim);
}

/// Claims of a verdict.
struct Count {
  int claims = 0;
  int computed = 0;   ///< with at least one figure
  int simulated = 0;  ///< of these, with a figure from a scenario
};

std::map<std::string, Count, std::less<>> counts_of(const Audit& audit) {
  std::map<std::string, Count, std::less<>> out;
  each_claim(audit, [&](const AuditedClaim& claim) {
    bool simulated = false;
    for (const ClaimFigure& figure : claim.figures) simulated = simulated || figure.simulated;
    for (const std::string& key : {claim.verdict, std::string()}) {  // "" counts all
      Count& count = out[key];
      ++count.claims;
      count.computed += claim.figures.empty() ? 0 : 1;
      count.simulated += simulated ? 1 : 0;
    }
  });
  return out;
}

/// A figure for people; operations as plain rates.
std::string printed(const ClaimFigure& figure) {
  std::string out = base::print_quantity(figure.value, figure.dimension);
  if (const std::size_t at = out.find("ops/s"); at != std::string::npos) out.erase(at, 3);
  return out;
}

/// "holds: 140 GB", "off: 980 GB, not 420 GB (claim 57 % too low)", "980 GB".
std::string statement(const ClaimFigure& figure) {
  std::string out = printed(figure) + (figure.assumption ? "*" : "");
  if (figure.claimed.empty()) return out;
  if (figure.agrees) return "holds: " + out + (figure.own_test ? ", test " + figure.claimed : "");
  out = "off: " + out + (figure.own_test ? ", test " : ", not ") + figure.claimed;
  if (!figure.deviation.empty()) out += " (" + figure.deviation + ")";
  if (figure.counter != ClaimCounter::none) out += ", against " + figure.against;
  return out;
}

std::string_view counter_name(ClaimCounter counter) {
  return counter == ClaimCounter::claim        ? "claim"
         : counter == ClaimCounter::dated      ? "dated"
         : counter == ClaimCounter::conclusion ? "conclusion"
         : counter == ClaimCounter::published  ? "published"
                                               : "";
}

/// The note, with what it rests on where no figure decides: "Definition. By ...".
std::string argument(const AuditedClaim& claim) {
  return claim.basis.empty() ? claim.note : "(" + claim.basis + ") " + claim.note;
}

/// "= P * 14, P = 70e9", or "from job.train.au of s.json" of a figure taken as it is.
std::string derivation(const ClaimFigure& figure, std::string_view quote) {
  const bool taken = figure.inputs.size() == 1 && figure.formula == figure.inputs[0].name;
  if (taken && !figure.inputs[0].source.empty()) return "from " + figure.inputs[0].source;
  std::string out = "= " + std::string(quote) + figure.formula + std::string(quote);
  for (const ClaimTerm& term : figure.inputs) {
    out += ", " + term.name + " = " + term.value;
    if (!term.source.empty()) out += " (" + term.source + ")";
  }
  return out;
}

std::string what(const ClaimFigure& figure) {
  std::string out = figure.own_inputs ? "its own sum" : "";
  if (!figure.what.empty()) out += (out.empty() ? "" : ", ") + figure.what;
  return out.empty() ? "" : out + ": ";
}

std::string totals(const Audit& audit) {
  const Count all = counts_of(audit)[""];
  std::size_t figures = 0, assumed = 0;
  each_claim(audit, [&](const AuditedClaim& claim) {
    figures += claim.figures.size();
    for (const ClaimFigure& figure : claim.figures) assumed += figure.assumption ? 1 : 0;
  });
  return std::to_string(all.claims) + " claims; " + std::to_string(all.computed) +
         " have figures of ours (" + std::to_string(figures) + " figures, " +
         std::to_string(assumed) + " with an input from memory), " + std::to_string(all.simulated) +
         " of them from scenarios (" + std::to_string(audit.simulations) + " simulated)";
}

std::string_view outcome_name(ClaimOutcome outcome) {
  switch (outcome) {
    case ClaimOutcome::none:
      return "none";
    case ClaimOutcome::argued:
      return "argued";
    case ClaimOutcome::unpublished:
      return "unpublished";
    case ClaimOutcome::agrees:
      return "agrees";
    case ClaimOutcome::off:
      return "off";
    case ClaimOutcome::own_sum:
      return "own sum only";
    case ClaimOutcome::mixed:
      return "mixed";
    case ClaimOutcome::contradicted:
      return "contradicted";
    case ClaimOutcome::dated:
      return "dated";
    case ClaimOutcome::not_carried:
      return "not carried";
    case ClaimOutcome::unmatched:
      return "unmatched";
  }
  return "";
}

constexpr std::string_view kHowToRead =
    "Each row is one claim, in our words. A figure of ours is computed from the formula next to it "
    "when this page is made: \"holds\" when it is the claimed one within the row's tolerance, "
    "\"off\" when it is not, with how far. \"Its own sum\" repeats the arithmetic of a claim on "
    "its "
    "own inputs; other figures take sourced inputs (`stallcast catalog show ID` has the source), "
    "scenarios that are simulated, or closed forms of scenarios. Where a claim gives no figure but "
    "can be tested, \"test\" is what we took for it (\"test >= 95 %\"). An asterisk: an input is "
    "from memory.";

/// The rule by which verdicts follow from figures, as code applies it.
std::string rule_markdown() {
  std::string out =
      "\n## How a verdict follows\n\nA figure decides when it has a claimed figure or a test next "
      "to it. The verdict of every row is computed by this table, and a test fails where the row "
      "has another. Figures that name what they are off against (\"against D046\") go before "
      "counts.\n\n| verdict | when |\n|---|---|\n";
  for (const ClaimVerdict& verdict : kClaimVerdicts)
    out += "| " + std::string(verdict.id) + " | " + std::string(verdict.rule) + " |\n";
  out +=
      "\nWhere no figure decides, the note says what the row rests on. Only the first three let it "
      "be right or wrong:\n\n| class | what it is |\n|---|---|\n";
  for (const ClaimBasis& basis : kClaimBases)
    out += "| " + std::string(basis.id) + " | " + std::string(basis.meaning) + " |\n";
  return out;
}

std::string audit_text(const Audit& audit, const ReportContext& context, const Style& style) {
  const Ink ink(style.colour);
  std::string out = ink.bold("Audit of claims") + "\n\n";
  const auto counts = counts_of(audit);
  for (const ClaimVerdict& verdict : kClaimVerdicts)
    if (const auto count = counts.find(verdict.id); count != counts.end())
      out += wrapped(
          "  " + left(verdict.id, 14) + right(std::to_string(count->second.claims), 4) + "  ",
          verdict.meaning, 22);
  out += "\n" + wrapped("", totals(audit), 0);
  for (const ClaimsFile& file : audit.files) {
    out += "\n" + ink.bold(file.title) + "\n";
    for (const AuditedClaim& claim : file.claims) {
      out += wrapped("  " + left(claim.id, 6), claim.verdict + ": " + claim.claim, 8);
      for (const ClaimFigure& figure : claim.figures)
        out += wrapped("          ", what(figure) + statement(figure), 12);
      for (const std::string& fault : claim.faults)
        out += wrapped("          " + ink.bad("fault") + ": ", fault, 12);
    }
  }
  out += "\n" + made_by(context) + "\n";
  return out;
}

std::string audit_markdown(const Audit& audit, const ReportContext& context) {
  std::string out =
      "# Audit of the claims list\n\n| verdict | claims | with figures | from scenarios | meaning "
      "|\n";
  out += "|---|---:|---:|---:|---|\n";
  const auto counts = counts_of(audit);
  const auto row = [&](const std::string& name, const Count& count, std::string_view meaning) {
    out += "| " + name + " | " + std::to_string(count.claims) + " | " +
           std::to_string(count.computed) + " | " + std::to_string(count.simulated) + " | " +
           std::string(meaning) + " |\n";
  };
  for (const ClaimVerdict& verdict : kClaimVerdicts)
    if (const auto count = counts.find(verdict.id); count != counts.end())
      row(std::string(verdict.id), count->second, verdict.meaning);
  row("all", counts.find("")->second, "");
  out += "\n## How to read it\n\n" + std::string(kHowToRead) + "\n" + rule_markdown();
  for (const ClaimsFile& file : audit.files) {
    out += "\n## " + file.title + "\n";
    if (!file.note.empty()) out += "\n" + file.note + "\n";
    out += "\n| id | claim | verdict | our figures | note |\n|---|---|---|---|---|\n";
    for (const AuditedClaim& claim : file.claims) {
      std::string figures;
      for (const ClaimFigure& figure : claim.figures)
        figures += (figures.empty() ? "" : "<br>") +
                   markdown_cell(what(figure) + statement(figure) + " " + derivation(figure, "`"));
      for (const std::string& fault : claim.faults)
        figures += "<br>**fault: " + markdown_cell(fault) + "**";
      out += "| " + claim.id + " | " + markdown_cell(claim.claim) + " | " + claim.verdict + " | " +
             figures + " | " + markdown_cell(argument(claim)) + " |\n";
    }
  }
  return out + "\n" + totals(audit) + "; " + made_by(context) + "\n";
}

std::string audit_csv(const Audit& audit) {
  std::string out =
      csv_row({"id", "claim", "verdict", "outcome", "figure", "claimed", "computed", "base_value",
               "expected", "tolerance", "agrees", "deviation", "formula", "note"});
  each_claim(audit, [&](const AuditedClaim& claim) {
    const std::string outcome(outcome_name(claim.outcome));
    if (claim.figures.empty())
      out += csv_row({claim.id, claim.claim, claim.verdict, outcome, "", "", "", "", "", "", "", "",
                      "", argument(claim)});
    for (const ClaimFigure& f : claim.figures)
      out +=
          csv_row({claim.id, claim.claim, claim.verdict, outcome, f.what, f.claimed, printed(f),
                   base::shortest(f.value), f.correct.empty() ? f.claimed : f.correct, f.tolerance,
                   f.claimed.empty() ? ""
                   : f.agrees        ? "yes"
                                     : "no",
                   f.deviation, derivation(f, ""), argument(claim)});
  });
  return out;
}

Json figure_object(const ClaimFigure& f) {
  Json inputs = Json::object();
  for (const ClaimTerm& term : f.inputs)
    inputs[term.name] = {{"value", term.value}, {"source", term.source}};
  return {{"what", f.what},
          {"formula", f.formula},
          {"inputs", std::move(inputs)},
          {"own_inputs", f.own_inputs},
          {"simulated", f.simulated},
          {"assumption", f.assumption},
          {"claimed", f.own_test ? "" : f.claimed},
          {"test", f.own_test ? f.claimed : ""},
          {"counter", counter_name(f.counter)},
          {"against", f.against},
          {"expected", f.correct.empty() ? f.claimed : f.correct},
          {"tolerance", f.tolerance},
          {"value", f.value},
          {"computed", printed(f)},
          {"agrees", f.claimed.empty() ? Json(nullptr) : Json(f.agrees)},
          {"deviation", f.deviation}};
}

std::string audit_json(const Audit& audit, const ReportContext& context, const Style& style) {
  Json out;
  out["schema"] = "stallcast.audit/1";
  out["tool"] = tool_object(context, "");
  out["counts"] = Json::object();
  const auto counts = counts_of(audit);
  for (const ClaimVerdict& verdict : kClaimVerdicts) {
    const auto count = counts.find(verdict.id);
    out["counts"][std::string(verdict.id)] = count == counts.end() ? 0 : count->second.claims;
  }
  out["claims"] = Json::array();
  each_claim(audit, [&](const AuditedClaim& claim) {
    Json figures = Json::array();
    for (const ClaimFigure& figure : claim.figures) figures.push_back(figure_object(figure));
    out["claims"].push_back({{"claim_id", claim.id},
                             {"claim", claim.claim},
                             {"verdict", claim.verdict},
                             {"outcome", outcome_name(claim.outcome)},
                             {"figures", std::move(figures)},
                             {"note", claim.note},
                             {"basis", claim.basis},
                             {"faults", claim.faults}});
  });
  if (style.timing) out["elapsed"] = {{"wall_s", audit.wall_s}};
  return dump(out);
}

}  // namespace

std::string render(const Audit& audit, const ReportContext& context, Format format,
                   const Style& style) {
  if (format == Format::json) return audit_json(audit, context, style);
  if (format == Format::csv) return audit_csv(audit);
  if (format == Format::markdown) return audit_markdown(audit, context);
  return audit_text(audit, context, style);
}

}  // namespace stallcast::report
