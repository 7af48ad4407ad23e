#include "scenarios/questions/policy.hpp"

#include <algorithm>

#include "engine/base/files.hpp"
#include "engine/base/glob.hpp"
#include "scenarios/document/keys.hpp"
#include "scenarios/questions/expectations.hpp"

namespace stallcast::scenarios {
namespace {

constexpr std::string_view kTopKeys[] = {"$schema", "id", "description", "extends", "expect"};
constexpr std::string_view kSelector[] = {"scenarios"};

std::vector<std::string> read_selectors(ReadContext& context, const std::string& at) {
  std::vector<std::string> out;
  const Json* list = find(context.tree.root, at);
  if (list == nullptr || list->is_null()) return out;
  const auto is_text = [](const Json& item) { return item.is_string(); };
  if (!list->is_array() || list->empty() || !std::all_of(list->begin(), list->end(), is_text)) {
    context.report.error("type", at, "\"scenarios\" is a list of ids or paths of scenarios",
                         "write [\"llm-*\", \"designs/*.json\"]");
    return out;
  }
  for (const Json& item : *list) out.push_back(item.get<std::string>());
  return out;
}

}  // namespace

LoadedPolicy load_policy(const std::string& path) {
  LoadedPolicy out;
  Result<std::string> text = base::read_file(path);
  if (!text.ok()) {
    out.diagnostics.add({Severity::error,
                         "file",
                         "",
                         {path, 0, 0},
                         text.failure().message,
                         "a policy is { \"expect\": [ { \"that\": ... } ] }"});
    return out;
  }
  Documents documents;
  const Tree tree = read_with_bases(*std::move(text), path, true, "", documents, out.diagnostics);
  if (!tree.root.is_object()) return out;
  Reporter report(documents, tree, out.diagnostics);
  Parameters params(tree, report);
  ReadContext context{tree, params, report};
  check_keys(tree.root, "", kTopKeys, "the policy", report);
  for (Expectation& e : read_expectations(context, kSelector)) {
    std::vector<std::string> selectors = read_selectors(context, e.pointer + "/scenarios");
    out.rules.push_back({std::move(e), std::move(selectors)});
  }
  return out;
}

bool applies(const PolicyRule& rule, const std::string& id, const std::string& path) {
  return rule.scenarios.empty() ||
         std::any_of(rule.scenarios.begin(), rule.scenarios.end(), [&](const std::string& pattern) {
           return base::matches_glob(pattern, id) || base::matches_glob(pattern, path);
         });
}

}  // namespace stallcast::scenarios
