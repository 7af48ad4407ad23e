#include "scenarios/rules/support.hpp"

#include <algorithm>

#include "engine/base/design_values.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"
#include "models/contract/rank_spread.hpp"
#include "scenarios/document/keys.hpp"

namespace stallcast::scenarios {

double number(const Component& component, std::string_view key, double fallback) {
  return base::number_of(component, key, fallback);
}

bool is_chosen(models::Role role, const Component& component, std::string_view key) {
  const Value* value = component.find(key);
  if (value == nullptr) return false;
  const Source::Kind from = value->source.kind;
  if (from == Source::Kind::default_value || from == Source::Kind::catalogue ||
      from == Source::Kind::profile)
    return false;
  const base::FieldInfo* field = models::find_field(role, component, key);
  if (field == nullptr || field->required() || field->optional()) return true;
  if (value->dimension == Dimension::text) return value->text != field->fallback;
  return base::parse_quantity(field->fallback, value->dimension).value != value->number;
}

std::vector<std::string> ids_of(const std::vector<Component>& components) {
  std::vector<std::string> out;
  for (const Component& c : components) out.push_back(c.id);
  return out;
}

bool complete(models::Role role, const Component& component) {
  const models::KindInfo* kind = models::find_kind(role, component.kind);
  if (kind == nullptr) return false;
  for (const auto fields : {kind->common, kind->fields})
    for (const base::FieldInfo& field : fields)
      if (!field.optional() && component.find(field.key) == nullptr &&
          models::counts(*kind, component, field))
        return false;
  return true;
}

bool lacks(const Component& component, std::string_view key, const Diagnostics& report) {
  if (component.find(key) != nullptr) return false;
  const std::string at = pointer_of(component, key);
  return std::none_of(report.items().begin(), report.items().end(), [&](const Diagnostic& d) {
    return d.severity == Severity::error &&
           (d.pointer == at || d.pointer.starts_with(at + "/"));  // "value" or a bound of it
  });
}

const Component* host_of(const Design& design, const JobDesign& job) {
  const Value* hosts = job.job.find("hosts");
  return hosts == nullptr ? nullptr : design.find_host(hosts->text);
}

double gpus_of(const Component& host) { return number(host, "count") * number(host, "gpus"); }

double readers(const Design& design, const JobDesign& job) {
  const double copy =
      number(job.job, "parallel.tensor", 1.0) * number(job.job, "parallel.pipeline", 1.0);
  return accelerators(design, job) / std::max(copy, 1.0);
}

double readers_of_host(const Design& design, const JobDesign& job) {
  const Component* host = host_of(design, job);
  if (host == nullptr || accelerators(design, job) <= 0.0) return 0.0;
  const double used =
      models::RankSpread{accelerators(design, job), number(*host, "count", 1.0)}.used();
  return models::RankSpread{std::max(1.0, readers(design, job)), used}.most();
}

void check_reference(const Component& from, std::string_view key,
                     const std::vector<std::string>& ids, const std::string& what,
                     Diagnostics& report) {
  const Value* value = from.find(key);
  if (value == nullptr || std::find(ids.begin(), ids.end(), value->text) != ids.end()) return;
  report.error("reference", pointer_of(from, key), "no " + what + " \"" + value->text + "\"",
               ids.empty()
                   ? "add it under \"" +
                         std::string(what == "host class" ? "cluster.hosts" : "storage") + "\""
                   : allowed_hint(value->text, ids));
}

}  // namespace stallcast::scenarios
