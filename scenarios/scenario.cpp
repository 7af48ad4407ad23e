#include "stallcast/scenario.hpp"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>

#include "engine/base/design_values.hpp"
#include "engine/base/files.hpp"
#include "engine/base/place_text.hpp"
#include "engine/base/what_reads.hpp"
#include "scenarios/document/overrides.hpp"
#include "scenarios/questions/expectations.hpp"
#include "scenarios/questions/growth_reader.hpp"
#include "scenarios/questions/plan_reader.hpp"
#include "scenarios/questions/sweep_reader.hpp"
#include "scenarios/resolve/fio_job.hpp"
#include "scenarios/resolve/known_components.hpp"
#include "scenarios/resolve/named_files.hpp"
#include "scenarios/resolve/parameters.hpp"
#include "scenarios/resolve/replay_tenant.hpp"
#include "scenarios/resolve/resolve.hpp"
#include "scenarios/rules/rules.hpp"
#include "scenarios/scenario_builder.hpp"

/// From a scenario file to a Design: read (JSONC, `extends`), choose a variant, apply `--set`,
/// evaluate `params`, expand catalogue references, check against the field tables, apply defaults,
/// check the rules that span fields.
namespace stallcast {
namespace {

using namespace scenarios;

/// The files of a scenario, read and merged, with the variant and the options of the user.
struct Reading {
  ScenarioFile file;
  const CalibrationProfile* profile = nullptr;
  Documents documents;
  Tree tree;
  Json written;             ///< before variant and options
  Diagnostics diagnostics;  ///< of all that
  /// Faults before these hide others: part of the scenario could not be read.
  std::size_t unread = 0;
  bool incomplete = false;
  std::vector<std::string> variants;
  std::shared_ptr<FileTexts> jobs = std::make_shared<FileTexts>();
};

/// What a reading with changes resolves to.
struct Resolved {
  std::optional<Design> design;
  Documents documents;
  Tree tree;
  std::vector<Parameter> parameters;
  Questions questions;
  decltype(Written::needs) needs;
  Diagnostics diagnostics;
  KnownComponents components;
};

// Faults that may only be there because part of the scenario is not.
void drop_consequences(Diagnostics& diags, std::size_t first) {
  constexpr std::string_view kCodes[] = {"missing", "reference", "rule",
                                         "few",     "param",     "expression"};
  auto& items = diags.items();
  items.erase(std::remove_if(items.begin() + static_cast<std::ptrdiff_t>(first), items.end(),
                             [&](const Diagnostic& d) {
                               return std::find(std::begin(kCodes), std::end(kCodes), d.code) !=
                                      std::end(kCodes);
                             }),
              items.end());
}

// What is said of a number that could not be read.
void drop_repeats(Diagnostics& diags) {
  std::set<std::string> unread;
  for (const Diagnostic& d : diags.items())
    if (d.code == "number") unread.insert(d.pointer);
  std::erase_if(diags.items(), [&](const Diagnostic& d) {
    return d.code != "number" && unread.contains(d.pointer);
  });
}

/// The lines that diagnostics are about, which whoever shows them need not read again. Nobody reads
/// one that is longer than this.
constexpr std::size_t kLongestLine = 1000;

void quote_lines(const Documents& documents, Diagnostics& diags) {
  for (Diagnostic& d : diags.items())
    for (std::size_t i = 0; i < documents.size() && d.line.empty() && d.position.line > 0; ++i)
      if (documents[i].file == d.position.file)
        d.line = base::line_of(documents[i], d.position.line, kLongestLine);
}

/// Takes the text out of `file`, where there is one.
Result<std::string> take_text(ScenarioFile& file) {
  if (!file.text.has_value()) return base::read_file(file.file);
  std::string text = *std::exchange(file.text, std::nullopt);
  if (text.size() <= base::kLargestFile) return text;
  return Failure{ExitCode::bad_input, ": File too large", ""};
}

/// What the merged tree says of itself, and the user's choice of a variant and values.
void prepare(Reading& out) {
  out.unread = out.diagnostics.items().size();
  out.incomplete = std::any_of(
      out.diagnostics.items().begin(), out.diagnostics.items().end(), [&](const Diagnostic& d) {
        return d.code == "extends" || d.code == "syntax" || d.code == "type";
      });
  if (const Json* variants = find(out.tree.root, "/scenarios");
      variants != nullptr && variants->is_object())
    for (const auto& [name, patch] : variants->items())
      if (!name.starts_with("x-") && !patch.is_null()) out.variants.push_back(name);
  out.written = out.tree.root;
  Reporter report(out.documents, out.tree, out.diagnostics);
  choose_variant(out.tree, out.file.variant, report);
  list_storage(out.tree);
  apply_sets(out.tree, out.file.sets, out.documents, report);
}

/// What to do about a file that is not there. "file#name" is how `diff` and `compare` name a
/// variant.
std::string hint_of_missing(const std::string& file) {
  const std::size_t hash = file.rfind('#');
  if (hash != std::string::npos && std::filesystem::exists(file.substr(0, hash)))
    return "for a variant write " + file.substr(0, hash) + " --variant " + file.substr(hash + 1);
  return "\"stallcast init\" prints a scenario to start from";
}

Reading read_files(const ScenarioFile& file, const CalibrationProfile* profile) {
  Reading out;
  out.file = file;
  out.profile = profile;
  Result<std::string> text = take_text(out.file);
  if (!text.ok()) {
    const std::string& message = text.failure().message;
    out.diagnostics.add({Severity::error,
                         "file",
                         "",
                         {file.file, 0, 0},
                         "cannot read the file" + message.substr(message.rfind(": ")),
                         hint_of_missing(file.file)});
    return out;
  }
  out.tree = read_with_bases(*std::move(text), file.file, file.extend_files, file.extend_root,
                             out.documents, out.diagnostics);
  if (out.tree.root.is_object()) prepare(out);
  return out;
}

/// What `root` is, the business of who keeps the files, off `place`.
void cut_root(const std::string& root, std::string& place) {
  if (const std::string prefix = root + "/"; place.starts_with(prefix))
    place.erase(0, prefix.size());
}

/// The same off all that is reported.
void report_within(const std::string& root, Resolved& resolved) {
  const auto cut = [&](std::string& place) { cut_root(root, place); };
  for (Parameter& p : resolved.parameters) cut(p.where);
  if (!resolved.design) return;
  cut(resolved.design->file);
  for (Expectation& e : resolved.design->expect) cut(e.where);
  base::for_each_component(*resolved.design, [&](const auto&, const auto&, Component& component) {
    for (auto& [key, value] : component.values) cut(value.source.where);
  });
}

/// `before`: the same reading without changes, where it was resolved.
Resolved resolve_tree(const Reading& reading, std::span<const Change> changes,
                      const Resolved* before) {
  Resolved out{.design = {},
               .documents = reading.documents,
               .tree = reading.tree,
               .parameters = {},
               .questions = {},
               .needs = {},
               .diagnostics = reading.diagnostics,
               .components = KnownComponents(reading.documents.size())};
  if (!out.tree.root.is_object()) return out;
  Reporter report(out.documents, out.tree, out.diagnostics);
  apply_changes(out.tree, changes, out.documents, report);
  list_storage(out.tree);
  const ScenarioFile& file = reading.file;
  FileTexts* jobs = file.extend_files && file.extend_root.empty() ? reading.jobs.get() : nullptr;
  read_fio_jobs(out.tree, file.file, jobs, out.documents, report);
  find_programs(out.tree, file.file, jobs != nullptr, out.documents, report);

  Parameters params(out.tree, report);
  // A variant or an option may replace the only expression that uses a parameter.
  for (const auto& [key, node] : reading.written.items())
    if (key != "params") params.mark_used(node);
  ReadContext context{out.tree, params, report, reading.profile, file.idle};
  std::optional<ReadBefore> known;
  if (before == nullptr)
    context.keep = &out.components;
  else
    context.before = &known.emplace(ReadBefore{before->tree, before->components});
  Design design = resolve(context);
  design.file = file.file;
  design.expect = read_expectations(context);
  out.parameters = params.list();
  out.questions.sweep = read_sweep(out.tree, out.parameters, report);
  out.questions.plan = read_plan(context, out.parameters);
  out.questions.growth = read_growth(context, out.parameters);
  out.questions.ranged = ranged_values(out.tree, design, out.parameters);
  params.report_unused();
  const std::size_t ruled = out.diagnostics.items().size();
  check_rules(design, out.diagnostics);
  if (file.few && changes.empty())
    std::erase_if(out.diagnostics.items(), [](const Diagnostic& d) { return d.code == "few"; });
  for (std::size_t i = ruled; i < out.diagnostics.items().size(); ++i) {
    Diagnostic& d = out.diagnostics.items()[i];
    d.position = report.place(d.pointer);
  }
  out.needs = params.needed();

  if (!out.diagnostics.has_errors()) expect_room(design);
  if (reading.incomplete) drop_consequences(out.diagnostics, reading.unread);
  drop_repeats(out.diagnostics);
  if (reading.profile != nullptr) base::note_observed(*reading.profile, design);
  if (design.id.empty()) design.id = std::filesystem::path(file.file).stem().string();
  if (!out.diagnostics.has_errors()) out.design = std::move(design);
  if (!file.extend_root.empty()) report_within(file.extend_root, out);
  return out;
}

/// What `Written` says.
Written written_of(const Resolved& resolved, const std::string& extend_root) {
  Written out{.needs = resolved.needs, .where = {}};
  if (!resolved.design) return out;
  Diagnostics none;
  const Reporter report(resolved.documents, resolved.tree, none);
  base::for_each_component(
      *resolved.design, [&](const std::string&, std::string_view, const Component& component) {
        for (const std::string& at : {component.pointer, component.pointer + "/use"})
          if (find(resolved.tree.root, at) != nullptr) out.where[at] = report.where(at);
      });
  if (!extend_root.empty())
    for (auto& [pointer, where] : out.where) cut_root(extend_root, where);
  return out;
}

}  // namespace

struct Scenario::State {
  explicit State(std::shared_ptr<const Reading> read)
      : reading(std::move(read)), resolved(resolve_tree(*reading, {}, nullptr)) {
    show_places();
  }
  State(std::shared_ptr<const State> unchanged, std::vector<Change> with)
      : reading(unchanged->reading),
        base(std::move(unchanged)),
        changes(std::move(with)),
        resolved(resolve_tree(*reading, changes, &base->resolved)) {
    show_places();
  }
  void show_places() {
    quote_lines(resolved.documents, resolved.diagnostics);
    resolved.diagnostics.sort_by_place();
  }
  std::shared_ptr<const Reading> reading;
  std::shared_ptr<const State> base;  ///< without changes; nullptr of that itself
  std::vector<Change> changes;
  Resolved resolved;
  mutable std::once_flag asked;  ///< for `written`, which few want to know
  mutable Written written;
};

Scenario Scenario::read(const ScenarioFile& file, const CalibrationProfile* profile) {
  auto reading = std::make_shared<const Reading>(read_files(file, profile));
  return Scenario(std::make_shared<const State>(std::move(reading)));
}

Scenario Scenario::with(std::span<const Change> changes) const {
  std::vector<Change> all = state_->changes;
  all.insert(all.end(), changes.begin(), changes.end());
  const auto& base = state_->base ? state_->base : state_;
  return Scenario(std::make_shared<const State>(base, std::move(all)));
}

Scenario ScenarioBuilder::from_json(base::Json document, const std::string& name,
                                    const CalibrationProfile* profile) {
  Reading out;
  out.file = {.file = name, .extend_files = false};
  out.profile = profile;
  const std::size_t number = out.documents.add({std::move(document), name, ""});
  out.tree = tree_of(out.documents[number].root, number);
  prepare(out);
  auto reading = std::make_shared<const Reading>(std::move(out));
  return Scenario(std::make_shared<const Scenario::State>(std::move(reading)));
}

const base::JsonDocument& ScenarioBuilder::document_of(const Scenario& scenario) {
  return scenario.state_->reading->documents[0];
}

base::Json ScenarioBuilder::merged(const Scenario& scenario) {
  // What was looked up in other files on the way is not part of it.
  const Reading& reading = *scenario.state_->reading;
  Tree tree = reading.tree;
  Documents documents = reading.documents;
  Diagnostics none;
  Reporter report(documents, tree, none);
  apply_changes(tree, scenario.state_->changes, documents, report);
  // A change may have replaced the only expression that uses a parameter.
  for (const std::string& name : Parameters(tree, report).unused_in(tree.root))
    tree.root["params"].erase(name);
  if (tree.root.contains("params") && tree.root["params"].empty()) tree.root.erase("params");
  // What is written elsewhere names the same files.
  if (reading.file.extend_files) name_by_whole_paths(tree, reading.file.file, documents);
  return std::move(tree.root);
}

const base::Json* ScenarioBuilder::written_at(const Scenario& scenario,
                                              const std::string& pointer) {
  return find(scenario.state_->reading->tree.root, pointer);
}

bool Scenario::ok() const { return state_->resolved.design.has_value(); }

const Diagnostics& Scenario::diagnostics() const { return state_->resolved.diagnostics; }

Failure Scenario::failure() const {
  for (const Diagnostic& d : diagnostics().items())
    if (d.severity == Severity::error) return {ExitCode::bad_input, line_of(d), d.hint};
  return {ExitCode::internal, "the scenario gave no design", ""};
}

const Design& Scenario::design() const { return *state_->resolved.design; }

const Questions& Scenario::questions() const { return state_->resolved.questions; }

std::span<const Parameter> Scenario::parameters() const { return state_->resolved.parameters; }

std::span<const std::string> Scenario::variants() const { return state_->reading->variants; }

const Written& Scenario::written() const {
  std::call_once(state_->asked, [state = state_.get()] {
    state->written = written_of(state->resolved, state->reading->file.extend_root);
  });
  return state_->written;
}

Position Scenario::place(const std::string& pointer) const {
  Diagnostics none;
  return Reporter(state_->resolved.documents, state_->resolved.tree, none).place(pointer);
}

void Scenario::locate(Diagnostics& diagnostics) const {
  for (Diagnostic& d : diagnostics.items())
    if (d.position.file.empty()) d.position = place(d.pointer);
  quote_lines(state_->resolved.documents, diagnostics);
}

const std::string& Scenario::text() const {
  static const std::string kNone;
  const Documents& documents = state_->reading->documents;
  return documents.size() > 0 ? documents[0].text : kNone;
}

const ScenarioFile& Scenario::file() const { return state_->reading->file; }

namespace {

/// Job files and configurations of other tools have lines, and no JSON pointers: nothing is said of
/// their whole.
bool is_json(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  return ending.empty() || ending.starts_with(".json");
}

}  // namespace

std::string line_of(const Diagnostic& d) {
  std::string out = base::place_text(d.position);
  if (!out.empty()) out += ": ";
  if (!d.pointer.empty() || (d.position.line > 0 && is_json(d.position.file)))
    out += (d.pointer.empty() ? "/" : d.pointer) + ": ";
  if (d.severity == Severity::warning) out += "warning: ";
  return out + d.message;
}

}  // namespace stallcast
