#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <utility>

#include "calibration/measure/node_reader.hpp"
#include "calibration/validation/claims.hpp"
#include "engine/base/jsonc.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/catalogue/catalogue.hpp"

namespace stallcast::calibration {
namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr std::array<std::string_view, 5> kClaimFileKeys = {"claims", "id", "note", "schema",
                                                            "title"};
constexpr std::array<std::string_view, 6> kClaimKeys = {"basis", "checks", "claim",
                                                        "id",    "note",   "verdict"};
constexpr std::array<std::string_view, 9> kCheckKeys = {
    "against", "claimed", "compute", "correct", "inputs", "test", "tolerance", "what", "with"};

struct CounterKey {
  std::string_view key;
  ClaimCounter counter;
};
constexpr std::array kCounters = {CounterKey{"claim", ClaimCounter::claim},
                                  CounterKey{"dated", ClaimCounter::dated},
                                  CounterKey{"conclusion", ClaimCounter::conclusion},
                                  CounterKey{"published", ClaimCounter::published}};
constexpr std::array<std::string_view, 5> kScenarioKeys = {"bound", "metric", "scenario", "set",
                                                           "variant"};
constexpr std::array<std::string_view, 4> kPlanKeys = {"param", "plan", "set", "variant"};
constexpr std::string_view kCatalogue = "catalog:";

/// A catalogue value, and how it is shown.
struct Looked {
  double value = 0.0;
  std::string shown;   ///< "3.35 TB/s"
  std::string source;  ///< "HBM bandwidth of gpu/h100-sxm"
  bool assumption = false;
};

/// "catalog:gpu/h100-sxm#HBM bandwidth@low" without its first word.
std::optional<Looked> look_up(std::string_view text, std::string& message) {
  const std::size_t hash = text.find('#');
  const std::string id(text.substr(0, hash));
  std::string key(hash == std::string_view::npos ? "" : text.substr(hash + 1));
  std::string end;
  if (const std::size_t at = key.rfind('@'); at != std::string::npos) {
    end = key.substr(at + 1);
    key.erase(at);
  }
  const std::string what = key + " of " + id;
  if (!end.empty() && end != "low" && end != "high") {
    message = "\"@" + end + "\" is no end of a range: say @low or @high";
    return std::nullopt;
  }
  if (const models::CatalogueFigures* figures = models::find_figures(id); figures != nullptr)
    for (const models::CatalogueFigure& figure : figures->values) {
      if (figure.parameter != key || !figure.number) continue;
      if (figure.low != figure.high && end.empty()) {
        message = what + " is a range: say @low or @high";
        return std::nullopt;
      }
      const double number = end == "high" ? figure.high : figure.low;
      const std::string shown =
          base::shortest(number) + (figure.unit.empty() ? "" : " ") + figure.unit;
      std::string ignored;
      // Units of their own ("img/s/core") leave a plain number.
      const auto quantity = any_quantity(shown, ignored);
      return Looked{quantity ? quantity->value : number, shown, what, figure.assumption};
    }
  if (const models::CatalogueEntry* product = models::find_product(id); product != nullptr)
    for (const models::CatalogueValue& value : product->values) {
      if (value.key != key) continue;
      const auto quantity = any_quantity(value.text, message);
      if (!quantity) return std::nullopt;
      return Looked{quantity->value, value.text, what, value.assumption};
    }
  message = "the catalogue has no \"" + key + "\" of \"" + id + "\"";
  return std::nullopt;
}

/// Reads one claims file into `out`.
class ClaimsReader : NodeReader {
 public:
  /// Both must outlive this.
  ClaimsReader(const base::JsonDocument& document, LoadedClaims& out)
      : NodeReader(document, out.diagnostics), out_(out) {}

  void read(std::set<std::string>& ids) {
    const Json& root = document_.root;
    if (!root.is_object()) return;
    check_keys(root, "", kClaimFileKeys, "a claims file");
    ClaimsFile file{document_.file,
                    text_of(root, "", "id", true),
                    text_of(root, "", "title", true),
                    text_of(root, "", "note", false),
                    {}};
    const auto claims = root.find("claims");
    if (claims == root.end() || !claims->is_array() || claims->empty())
      error("type", "/claims", "\"claims\" takes a list of at least one claim", "");
    else
      for (std::size_t i = 0; i < claims->size(); ++i) {
        const std::string at = "/claims" + base::pointer_token(i);
        if ((*claims)[i].is_object())
          file.claims.push_back(read_claim((*claims)[i], at, file.claims.size(), ids));
        else
          error("type", at, "a claim is an object", R"(write { "id": ..., "claim": ... })");
      }
    out_.audit.files.push_back(std::move(file));
  }

 private:
  AuditedClaim read_claim(const Json& node, const std::string& at, std::size_t index,
                          std::set<std::string>& ids) {
    check_keys(node, at, kClaimKeys, "a claim");
    AuditedClaim claim;
    claim.id = text_of(node, at, "id", true);
    claim.claim = text_of(node, at, "claim", true);
    claim.verdict = text_of(node, at, "verdict", true);
    claim.note = text_of(node, at, "note", false);
    if (!claim.id.empty() && !ids.insert(claim.id).second)
      error("duplicate-id", at + "/id", "there is already a claim \"" + claim.id + "\"", "");
    claim.basis = text_of(node, at, "basis", false);
    check_verdict(claim.verdict, at + "/verdict");
    read_checks(node, at, index, claim);
    check_basis(claim, at);
    return claim;
  }

  void read_checks(const Json& node, const std::string& at, std::size_t index,
                   AuditedClaim& claim) {
    const auto checks = node.find("checks");
    if (checks == node.end()) {
      if (claim.note.empty())
        error("missing", at, "a claim without \"checks\" needs a \"note\" that argues its verdict",
              "");
      return;
    }
    if (!checks->is_array()) {
      error("type", at + "/checks", "\"checks\" takes a list", "");
      return;
    }
    for (std::size_t i = 0; i < checks->size(); ++i)
      read_check((*checks)[i], at + "/checks" + base::pointer_token(i), index, claim);
  }

  /// A basis is known, argued, and only of a claim that no figure decides.
  void check_basis(const AuditedClaim& claim, const std::string& at) {
    if (claim.basis.empty()) return;
    std::vector<std::string> known;
    for (const ClaimBasis& b : kClaimBases) known.emplace_back(b.id);
    if (std::find(known.begin(), known.end(), claim.basis) == known.end())
      error("unknown-basis", at + "/basis", "there is no basis \"" + claim.basis + "\"",
            "write one of " + base::join(known, ", "));
    if (claim.note.empty())
      error("missing", at, "a claim with a \"basis\" needs a \"note\" that argues its verdict", "");
    for (const ClaimFigure& figure : claim.figures)
      if (!figure.claimed.empty()) {
        error("conflict", at + "/basis", "figures decide this claim, so it takes no \"basis\"",
              "leave it out, or \"claimed\" and \"test\" of every check");
        return;
      }
  }

  void check_verdict(const std::string& verdict, const std::string& at) {
    std::vector<std::string> known;
    for (const ClaimVerdict& v : kClaimVerdicts) known.emplace_back(v.id);
    if (!verdict.empty() && std::find(known.begin(), known.end(), verdict) == known.end())
      error("unknown-verdict", at, "there is no verdict \"" + verdict + "\"",
            "verdicts are " + base::join(known, ", "));
  }

  void read_check(const Json& node, const std::string& at, std::size_t claim_index,
                  AuditedClaim& claim) {
    if (!node.is_object()) {
      error("type", at, "a check is an object", R"(write { "compute": ..., "claimed": ... })");
      return;
    }
    check_keys(node, at, kCheckKeys, "a check");
    ClaimFigure figure;
    figure.what = text_of(node, at, "what", false);
    figure.formula = text_of(node, at, "compute", true);
    figure.own_test = node.contains("test");
    if (figure.own_test && node.contains("claimed"))
      error("conflict", at + "/test", R"(a check takes "claimed" or "test", not both)", "");
    figure.claimed = text_of(node, at, figure.own_test ? "test" : "claimed", false);
    read_against(node, at, figure);
    figure.correct = text_of(node, at, "correct", false);
    figure.tolerance = text_of(node, at, "tolerance", false);
    const std::string inputs = text_of(node, at, "inputs", false);
    figure.own_inputs = inputs == "own";
    if (!inputs.empty() && !figure.own_inputs)
      error("type", at + "/inputs", R"("inputs" is "own" or absent)", "");

    ClaimTask task;
    task.file = out_.audit.files.size();
    task.claim = claim_index;
    task.figure = claim.figures.size();
    task.expression = figure.formula;
    read_figures(at, figure, task);
    if (const auto with = node.find("with"); with != node.end())
      for (const auto& [name, value] : with->items())
        read_input(name, value, at + "/with" + base::pointer_token(name), figure, task);
    figure.dimension = task.correct.dimension;
    out_.tasks.push_back(std::move(task));
    claim.figures.push_back(std::move(figure));
  }

  /// What an off figure is off from.
  void read_against(const Json& node, const std::string& at, ClaimFigure& figure) {
    const auto found = node.find("against");
    if (found == node.end()) return;
    for (const CounterKey& known : kCounters)
      if (found->is_object() && found->size() == 1 && found->contains(known.key)) {
        figure.counter = known.counter;
        figure.against = text_of(*found, at + "/against", std::string(known.key), true);
      }
    if (figure.counter == ClaimCounter::none || figure.claimed.empty())
      error("type", at + "/against", "\"against\" says of a claimed figure what it is off from",
            R"(write { "claim": "D046" }, "dated", "conclusion" or "published")");
  }

  /// What is claimed, what is right, and how exactly.
  void read_figures(const std::string& at, const ClaimFigure& figure, ClaimTask& task) {
    std::string message;
    const auto statement = [&](const std::string& key, const std::string& text) {
      std::optional<Statement> out;
      if (text.empty()) return out;
      out = parse_statement(text, message);
      if (!out) error("unit", at + "/" + key, message, R"(write "4 GB/s" or "1 s to 2 s")");
      return out;
    };
    task.claimed = statement(figure.own_test ? "test" : "claimed", figure.claimed);
    const auto correct = statement("correct", figure.correct);
    if (figure.claimed.empty() && figure.correct.empty())
      error("missing", at, R"(a check needs "claimed", "test" or "correct")", "");
    if (task.claimed) task.correct = *task.claimed;
    if (correct) task.correct = *correct;
    if (task.claimed && correct && task.claimed->dimension != correct->dimension)
      error("unit", at + "/correct", "\"claimed\" and \"correct\" are not of one unit", "");
    if (const auto tolerance = parse_tolerance(figure.tolerance, message))
      task.tolerance = *tolerance;
    else
      error("unit", at + "/tolerance", message, "");
  }

  void read_input(const std::string& name, const Json& value, const std::string& at,
                  ClaimFigure& figure, ClaimTask& task) {
    ClaimInput input;
    input.name = name;
    ClaimTerm term{name, "", ""};
    if (value.is_string()) {
      term.value = value.get<std::string>();
      std::string message;
      if (term.value.starts_with(kCatalogue)) {
        const auto found = look_up(std::string_view(term.value).substr(kCatalogue.size()), message);
        if (found) {
          input.value = found->value;
          term.value = found->shown;
          term.source = found->source;
          figure.assumption = figure.assumption || found->assumption;
        }
      } else if (const auto quantity = any_quantity(term.value, message)) {
        input.value = quantity->value;
      }
      if (!message.empty())
        error("unit", at, message, "write 70e9 for a number of things, 2e9 or 2 kB");
    } else if (value.is_object() && value.contains("plan")) {
      read_plan(value, at, input, term.source);
      figure.simulated = true;
    } else if (value.is_object()) {
      read_scenario(value, at, input, term.source);
      figure.simulated = true;
    } else {
      error("type", at, "takes a text or an object", R"(write "4 GB/s")");
    }
    figure.inputs.push_back(std::move(term));
    task.inputs.push_back(std::move(input));
  }

  void read_scenario(const Json& node, const std::string& at, ClaimInput& input,
                     std::string& shown) {
    check_keys(node, at, kScenarioKeys, "a scenario's figure");
    const bool bound = node.contains("bound");
    input.from = bound ? ClaimInput::From::bound : ClaimInput::From::metric;
    input.quantity = text_of(node, at, bound ? "bound" : "metric", true);
    input.scenario = scenario_of(node, at, "scenario", "", out_.scenarios, shown);
    shown = "`" + input.quantity + "` of " + shown;
  }

  void read_plan(const Json& node, const std::string& at, ClaimInput& input, std::string& shown) {
    check_keys(node, at, kPlanKeys, "a search");
    input.from = ClaimInput::From::plan;
    input.quantity = text_of(node, at, "param", true);
    input.scenario = scenario_of(node, at, "plan", input.quantity, out_.plans, shown);
    shown = "smallest `" + input.quantity + "` of " + shown;
  }

  /// The index of the scenario in `known`, loaded when it is new: with its targets where `param` is
  /// searched, "" where nothing is. `shown` names it.
  std::size_t scenario_of(const Json& node, const std::string& at, const std::string& key,
                          const std::string& param, std::vector<ClaimScenario>& known,
                          std::string& shown) {
    ClaimScenario wanted;
    wanted.param = param;
    const std::string name = text_of(node, at, key, true);
    wanted.file.file = beside(name);
    wanted.file.variant = text_of(node, at, "variant", false);
    wanted.file.sets = texts_of(node, at, "set");
    shown = "`" + fs::path(name).filename().string() + "`";
    if (!wanted.file.variant.empty()) shown += ", variant " + wanted.file.variant;
    if (!wanted.file.sets.empty()) shown += " with " + base::join(wanted.file.sets, ", ");
    for (std::size_t i = 0; i < known.size(); ++i)
      if (known[i].file.file == wanted.file.file && known[i].file.variant == wanted.file.variant &&
          known[i].file.sets == wanted.file.sets && known[i].param == wanted.param)
        return i;
    Scenario scenario = Scenario::read(wanted.file);
    take_faults(scenario.diagnostics(), at, key, "\"" + name + "\"");
    if (scenario.ok()) wanted.design = scenario.design();
    if (scenario.ok()) wanted.scenario = std::move(scenario);
    if (param.empty()) wanted.design.expect.clear();
    known.push_back(std::move(wanted));
    return known.size() - 1;
  }

  LoadedClaims& out_;
};

}  // namespace

LoadedClaims load_claims(const InputFiles& files) {
  LoadedClaims out;
  out.diagnostics = files.diagnostics;
  std::set<std::string> ids;
  for (const base::JsonDocument& document : files.documents) ClaimsReader(document, out).read(ids);
  return out;
}

}  // namespace stallcast::calibration
