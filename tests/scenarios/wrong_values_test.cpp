#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <memory>
#include <set>

#include "engine/base/files.hpp"
#include "engine/base/jsonc.hpp"
#include "scenarios/scenario_builder.hpp"
#include "tests/scenarios/support.hpp"

/// Every value of the library and of the good fixtures, once of each sort, is made wrong or left
/// out.
namespace wrong_values_test {

using namespace stallcast;
using namespace stallcast::testing;
using base::Json;

namespace {

struct Leaf {
  std::string file;
  std::shared_ptr<const Json> document;
  std::string pointer;
};

/// "/storage/0/ost/count" of a Lustre as "storage lustre ost count": two of a sort are read alike.
std::string sort_of(const Json& document, const std::string& pointer) {
  std::string out, at;
  for (std::size_t i = 1; i < pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', i), pointer.size());
    const std::string token = pointer.substr(i, end - i);
    at += "/" + token;
    i = end + 1;
    const Json& node = document.at(Json::json_pointer(at));
    if (!std::all_of(token.begin(), token.end(), [](unsigned char c) { return std::isdigit(c); }))
      out += token + " ";
    for (const char* kind : {"type", "format", "mode"})
      if (node.is_object() && node.contains(kind)) out += node[kind].dump() + " ";
  }
  return out;
}

/// The leaves of components, one of each sort.
std::vector<Leaf> leaves() {
  std::vector<Leaf> out;
  std::set<std::string> seen;
  for (const char* folder : {"scenarios/library", "tests/scenarios/fixtures/good"})
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".json") continue;
      const std::string file = entry.path().string();
      Diagnostics none;
      const auto document =
          std::make_shared<const Json>(base::parse_jsonc(*base::read_file(file), file, none).root);
      if (document->contains("extends")) continue;
      const Json flat = document->flatten();
      for (const auto& [pointer, value] : flat.items()) {
        const std::string top = pointer.substr(1, pointer.find('/', 1) - 1);
        const bool component = top == "cluster" || top == "storage" || top == "jobs" ||
                               top == "tenants" || top == "stages" || top == "failures" ||
                               top == "run";
        if (component && pointer.find("/x-") == std::string::npos &&
            seen.insert(sort_of(*document, pointer)).second)
          out.push_back({file, document, pointer});
      }
    }
  return out;
}

Scenario read_with(const Leaf& leaf, const Json& value) {
  Json changed = *leaf.document;
  changed[Json::json_pointer(leaf.pointer)] = value;
  return ScenarioBuilder::from_json(std::move(changed), leaf.file, nullptr);
}

}  // namespace

TEST_CASE("a value of the wrong type is said where it stands, and nothing else is hidden by it") {
  const std::vector<Leaf> all = leaves();
  CHECK(all.size() > 500);
  for (const Leaf& leaf : all) {
    INFO(leaf.file << " " << leaf.pointer);
    const Scenario read = read_with(leaf, Json{{"wrong", Json::array({true})}});
    CHECK_FALSE(read.ok());
    const auto& items = read.diagnostics().items();
    CHECK(std::any_of(items.begin(), items.end(), [&](const Diagnostic& d) {
      return d.severity == Severity::error && d.pointer.starts_with(leaf.pointer);
    }));
  }
}

TEST_CASE("what is left out is missed by name, or has a default, or was not needed") {
  for (const Leaf& leaf : leaves()) {
    INFO(leaf.file << " " << leaf.pointer);
    const Scenario read = read_with(leaf, nullptr);
    if (read.ok()) continue;
    // Whatever lacks is told of with what to do about it.
    for (const Diagnostic& d : read.diagnostics().items())
      if (d.code == "missing") {
        CHECK_FALSE(d.message.empty());
        CHECK_FALSE(d.hint.empty());
      }
    CHECK_FALSE(read.failure().message.empty());
  }
}

}  // namespace wrong_values_test
