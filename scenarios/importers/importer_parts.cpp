#include "scenarios/importers/importer_parts.hpp"

#include <utility>

namespace stallcast::scenarios {

using base::Json;

namespace {

// What a scenario can have of servers, and of GPUs with eight in each.
constexpr std::int64_t kMostHosts = 10'000'000, kMostGpus = 8 * kMostHosts;

void hold_options(const ImportOptions& options, const std::string& file, Diagnostics& diagnostics) {
  const auto at_most = [&](const char* name, std::optional<std::int64_t> given, std::int64_t most) {
    if (given && *given > most)
      diagnostics.add({Severity::error,
                       "option",
                       "",
                       {file, 0, 0},
                       std::string(name) + " " + std::to_string(*given) + " is too many",
                       "at most " + std::to_string(most)});
  };
  at_most("--hosts", options.hosts, kMostHosts);
  at_most("--accelerators", options.accelerators, kMostGpus);
}

/// Where a scenario is not what its parts are taken from: the place, and what is expected there.
struct Misfit {
  const char *pointer, *message, *hint;
};
std::optional<Misfit> misfit(const Json& root) {
  const auto first_of = [](const Json& in, const char* key) {
    return in.is_object() && in.contains(key) && in[key].is_array() && !in[key].empty() ? in[key][0]
                                                                                        : Json();
  };
  const Json storage = first_of(root, "storage");
  if (!storage.is_object() || !storage.contains("id") || !storage["id"].is_string())
    return Misfit{"/storage", "has no storage system with an id",
                  "its \"storage\" is a list like that of a scenario"};
  if (root.contains("params") && !root["params"].is_object())
    return Misfit{"/params", "has \"params\" that are no object",
                  "they are like those of a scenario: { \"n\": 8 }"};
  const Json hosts = root.value("cluster", Json()).is_object()
                         ? root["cluster"].value("hosts", Json::array())
                         : Json::array();
  if (!hosts.is_array() || (!hosts.empty() && !hosts[0].is_object()))
    return Misfit{"/cluster/hosts", "has \"hosts\" that are no list of classes of hosts",
                  "they are a list like that of a scenario"};
  return std::nullopt;
}

}  // namespace

void ScenarioImport::note(FieldFate fate, std::string_view source, std::string value,
                          std::string_view target, std::string_view why) {
  result_.fields.push_back(
      {fate, std::string(source), std::move(value), std::string(target), std::string(why)});
}

ImportResult ScenarioImport::ended() && {
  if (diags().has_errors())
    result_.fields.clear();
  else
    result_.scenario = scenario_.dump(2) + "\n";
  return std::move(result_);
}

std::string UniqueIds::take(const std::string& wanted) {
  int& times = given_[wanted];
  if (++times == 1) return wanted;
  for (;; ++times)
    if (const std::string id = wanted + "-" + std::to_string(times); given_.emplace(id, 1).second)
      return id;
}

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
  hold_options(options, file, result.diagnostics);
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
  if (const std::optional<Misfit> found = misfit(given.root)) {
    Position where = base::locate(given, found->pointer);
    if (where.line == 0) where = {options.storage_file, 1, 1};
    result.diagnostics.add({Severity::error, "storage", found->pointer, where,
                            "\"" + options.storage_file + "\" " + found->message, found->hint});
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
