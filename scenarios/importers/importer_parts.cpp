#include "scenarios/importers/importer_parts.hpp"

namespace stallcast::scenarios {

using base::Json;

std::string identifier(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    out += plain ? c : '-';
  }
  return out.empty() ? "imported" : out;
}

TakenPlant take_plant(const ImportOptions& options, const std::string& file, Json& scenario,
                      ImportResult& result) {
  const auto note = [&](const std::string& value, const std::string& why) {
    result.fields.push_back({FieldFate::defaulted, "", value, "storage", why});
  };
  if (options.storage_text.empty()) {
    result.diagnostics.add({Severity::warning,
                            "placeholder",
                            "",
                            {file, 0, 0},
                            "the file does not say what storage it runs on; 16 OSTs of Lustre are "
                            "a placeholder",
                            "give --storage FILE, or edit \"storage\""});
    scenario["params"]["n_ost"] = Json{
        {"value", 16}, {"min", 1}, {"max", 512}, {"doc", "placeholder: object storage targets"}};
    scenario["storage"] = Json::array(
        {Json{{"id", "scratch"}, {"type", "lustre"}, {"ost", Json{{"count", "=n_ost"}}}}});
    note("lustre, 16 OSTs", "placeholder");
    return {"scratch", ""};
  }
  const base::JsonDocument given =
      base::parse_jsonc(options.storage_text, options.storage_file, result.diagnostics);
  if (result.diagnostics.has_errors()) return {};
  const bool usable = given.root.is_object() && given.root.contains("storage") &&
                      given.root["storage"].is_array() && !given.root["storage"].empty() &&
                      given.root["storage"][0].is_object() &&
                      given.root["storage"][0].contains("id") &&
                      given.root["storage"][0]["id"].is_string();
  if (!usable) {
    result.diagnostics.add({Severity::error,
                            "storage",
                            "/storage",
                            {options.storage_file, 1, 1},
                            "\"" + options.storage_file + "\" has no storage system with an id",
                            "its \"storage\" is a list like that of a scenario"});
    return {};
  }
  for (const char* key : {"params", "cluster", "storage"})
    if (given.root.contains(key)) scenario[key] = given.root[key];
  TakenPlant out;
  const Json::json_pointer first_host("/cluster/hosts/0/id");
  if (scenario.contains(first_host) && scenario[first_host].is_string())
    out.host = scenario[first_host].get<std::string>();
  else
    scenario.erase("cluster");
  out.storage = given.root["storage"][0]["id"].get<std::string>();
  note(out.storage, "from " + options.storage_file);
  return out;
}

void add_placeholder_job(const ImportOptions& options, const std::string& what,
                         const std::string& hosts, const Position& where, Json& scenario,
                         ImportResult& result) {
  Json job{{"id", "train"}, {"hosts", hosts}};
  if (options.accelerators) job["accelerators"] = *options.accelerators;
  job["step"]["compute"] = "1 s";
  job["checkpoint"] = {{"to", scenario["storage"][0]["id"]}, {"size", "1 TB"}, {"every", "30 min"}};
  scenario["jobs"] = Json::array({std::move(job)});
  scenario["run"]["duration"] = "5 h";  // ten saves
  result.fields.push_back({FieldFate::defaulted, "", "steps of 1 s, a save of 1 TB every 30 min",
                           "jobs[train]", "placeholder"});
  result.diagnostics.add(
      {Severity::warning, "placeholder", "", where,
       what + " does not say what jobs run; steps of 1 s with a save of 1 TB every 30 min are a "
              "placeholder",
       "edit \"jobs\""});
}

}  // namespace stallcast::scenarios
