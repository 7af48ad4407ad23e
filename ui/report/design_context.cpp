#include "ui/report/design_context.hpp"

#include <map>
#include <set>
#include <string_view>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "ui/report/explain_tree.hpp"

namespace stallcast::report {

namespace {

using Values = std::map<std::string, const Value*>;

/// Inputs of a component that say nothing while another one of it switches them off.
struct Switch {
  std::string_view inputs;  ///< what their keys begin with
  std::string_view by;      ///< the key that decides
  double off = 0.0;         ///< its value then
};
constexpr Switch kSwitches[] = {
    {"hsm.", "hsm.released", 0.0}, {"ost.degraded_rate", "ost.degraded", 0.0},
    {"pin.", "pin_memory", 0.0},   {"compress.", "compress.ratio", 1.0},
    {"slow.", "slow.count", 0.0},  {"client.checksum_rate", "client.checksums", 0.0},
};

/// Inputs of hosts that only a word elsewhere in the design needs.
struct Need {
  std::string_view inputs;
  std::string_view word;  ///< a value of text, the end of a key that is true, or a kind of storage
};
constexpr Need kNeeds[] = {{"gds.", "gds"},
                           {"pcie.switches", "gds"},
                           {"cpu.tcp", "tcp"},
                           {"cpu.tls", "tls"},
                           {"nvme.", "local"}};

/// Where `key` begins in a path behind the id of its component.
std::size_t find_key(const std::string& path, std::string_view key) {
  const std::size_t at = path.find("." + std::string(key));
  return at == std::string::npos ? at : at + 1;
}

bool says(const Design& design, const Values& values, std::string_view word) {
  for (const Component& storage : design.storage)
    if (storage.kind == word) return true;
  for (const auto& [path, value] : values)
    if (value->text == word ||
        (path.ends_with(word) && value->number != 0.0 && value->dimension == Dimension::boolean))
      return true;
  return false;
}

/// What `kNeeds` names and nothing in the design says.
std::set<std::string_view> unsaid_words(const Design& design, const Values& values) {
  std::set<std::string_view> out;
  for (const Need& n : kNeeds)
    if (!says(design, values, n.word)) out.insert(n.word);
  return out;
}

/// Whether the design never asks for the input at `path`.
bool is_idle(const Values& values, const std::set<std::string_view>& unsaid,
             const std::string& path) {
  for (const Switch& s : kSwitches)
    if (const std::size_t key = find_key(path, s.inputs); key != std::string::npos) {
      const auto by = values.find(path.substr(0, key) + std::string(s.by));
      if (by != values.end() && by->second->number == s.off) return true;
    }
  if (path.starts_with("cluster.hosts["))
    for (const Need& n : kNeeds)
      if (unsaid.contains(n.word) && find_key(path, n.inputs) != std::string::npos) return true;
  return false;
}

}  // namespace

ReportContext tool_context(const client::Version& version) {
  return {version.program, version.models, {}};
}

ReportContext context_of(const Design& design, const client::Version& version) {
  ReportContext context = tool_context(version);
  const auto all = base::values_of(design);
  const Values values(all.begin(), all.end());
  const std::set<std::string_view> unsaid = unsaid_words(design, values);
  for (const auto& [path, value] : all) {
    const InputLine line{path, base::written(*value), print_source(value->source)};
    if (value->source.assumption && !is_idle(values, unsaid, path))
      context.assumptions.push_back({path, line.value, value->source.citation});
    const bool money =
        value->dimension == Dimension::money || value->dimension == Dimension::money_rate;
    if (money && value->source.kind != Source::Kind::default_value) context.prices.push_back(line);
    context.inputs.push_back(line);
  }
  return context;
}

std::string command_of(std::string_view verb, std::string_view file, const ScenarioFile& source,
                       const client::Question& question, const std::string& profile,
                       const std::vector<std::string>& words) {
  std::string out = "stallcast " + std::string(verb) + " " + base::shell_word(file);
  const auto add = [&out](const char* option, const std::string& value) {
    if (!value.empty()) out += std::string(" ") + option + " " + base::shell_word(value);
  };
  for (const std::string& set : source.sets) add("--set", set);
  add("--variant", source.variant);
  add("--profile", profile);
  if (question.seed) add("--seed", std::to_string(*question.seed));
  if (question.replicas > 0) add("--replicas", std::to_string(question.replicas));
  for (const std::string& word : words) out += " " + base::shell_word(word);
  return out;
}

std::vector<std::string> words_of(const client::PlanQuestion& question) {
  std::vector<std::string> out;
  const auto add = [&out](const char* option, const std::string& value) {
    if (!value.empty()) out.insert(out.end(), {option, value});
  };
  const PlanSpec& spec = question.spec;
  add("--storage", spec.storage);
  for (const std::string& over : question.over) add("--over", over);
  for (const std::string& unit : question.unit) add("--unit", unit);
  add("--minimize", spec.minimize);
  add("--maximize", spec.maximize);
  for (const std::string& part : spec.survive) add("--survive", part);
  if (spec.checks) add("--checks", std::to_string(*spec.checks));
  if (spec.tornado) add("--tornado", std::to_string(*spec.tornado));
  if (spec.confidence)
    add("--confidence", base::exact_quantity(*spec.confidence, Dimension::ratio));
  if (spec.draws) add("--draws", std::to_string(*spec.draws));
  if (question.until) add("--until", std::to_string(*question.until) + "mo");
  return out;
}

std::vector<std::string> words_of(const client::GrowthQuestion& question) {
  std::vector<std::string> out;
  for (const std::string& of : question.of) out.insert(out.end(), {"--of", of});
  if (question.months) out.insert(out.end(), {"--until", std::to_string(*question.months) + "mo"});
  if (question.every) out.insert(out.end(), {"--every", std::to_string(*question.every)});
  return out;
}

}  // namespace stallcast::report
