#include "ui/report/design_context.hpp"

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "ui/report/explain_tree.hpp"

namespace stallcast::report {

ReportContext tool_context(const client::Version& version) {
  return {version.program, version.models, {}};
}

ReportContext context_of(const Design& design, const client::Version& version) {
  ReportContext context = tool_context(version);
  for (const auto& [path, value] : base::values_of(design)) {
    const InputLine line{path, base::written(*value), print_source(value->source)};
    if (value->source.assumption)
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
