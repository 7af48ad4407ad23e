#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "stallcast/scenario.hpp"

namespace fixtures_test {

// Fixtures carry what is expected of them in their first lines:
//   // expect 14:7 unknown-key "did you mean \"nic\""
// that is: line and column ("0:0": in another file), code, and a part of the message or hint.

using namespace stallcast;
namespace fs = std::filesystem;

namespace {

const fs::path kFixtures = "tests/scenarios/fixtures";

std::vector<fs::path> files_in(const std::string& folder) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(kFixtures / folder)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

struct Expected {
  std::string place, code, part;
};

std::vector<Expected> expectations(const fs::path& file) {
  std::vector<Expected> out;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line) && line.starts_with("//");) {
    std::istringstream words(line.substr(2));
    std::string verb;
    Expected e;
    words >> verb >> e.place >> e.code;
    if (verb != "expect") continue;
    std::string rest;
    std::getline(words, rest);
    const auto first = rest.find('"'), last = rest.rfind('"');
    for (std::size_t i = first + 1; i < last; ++i)
      if (rest[i] != '\\') e.part += rest[i];
    out.push_back(e);
  }
  return out;
}

std::string text_of(const Diagnostic& d, const fs::path& file) {
  const bool here = d.position.file == file.string();
  return (here ? std::to_string(d.position.line) + ":" + std::to_string(d.position.column)
               : std::string("0:0")) +
         " " + d.code + " " + d.pointer + ": " + d.message + " | " + d.hint;
}

}  // namespace

TEST_CASE("good scenarios load without any remark") {
  for (const fs::path& file : files_in("good")) {
    const auto loaded = Scenario::read({.file = file.string()});
    INFO(file.string());
    for (const Diagnostic& d : loaded.diagnostics().items()) FAIL_CHECK(text_of(d, file));
    CHECK(loaded.ok());
  }
}

TEST_CASE("bad scenarios are rejected with every fault at its place") {
  for (const fs::path& file : files_in("bad")) {
    const auto loaded = Scenario::read({.file = file.string()});
    const std::vector<Expected> wanted = expectations(file);
    std::string all = file.string();
    for (const Diagnostic& d : loaded.diagnostics().items()) all += "\n  " + text_of(d, file);
    INFO(all);
    CHECK_FALSE(loaded.ok());
    REQUIRE(wanted.size() > 0);
    CHECK(loaded.diagnostics().items().size() == wanted.size());
    for (const Expected& e : wanted) {
      INFO("expected " << e.place << " " << e.code << " " << e.part);
      const auto& items = loaded.diagnostics().items();
      CHECK(std::any_of(items.begin(), items.end(), [&](const Diagnostic& d) {
        const std::string text = text_of(d, file);
        return text.starts_with(e.place + " " + e.code + " ") &&
               (d.message + " | " + d.hint).find(e.part) != std::string::npos;
      }));
    }
  }
}

TEST_CASE("diagnostics are sorted by place") {
  const auto loaded = Scenario::read({.file = (kFixtures / "bad/many-faults.json").string()});
  const auto& items = loaded.diagnostics().items();
  CHECK(std::is_sorted(items.begin(), items.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::pair(a.position.line, a.position.column) <
           std::pair(b.position.line, b.position.column);
  }));
}

TEST_CASE("a file that is not there is one diagnostic") {
  const auto loaded = Scenario::read({.file = "tests/scenarios/fixtures/none.json"});
  CHECK_FALSE(loaded.ok());
  REQUIRE(loaded.diagnostics().items().size() == 1);
  CHECK(loaded.diagnostics().items()[0].code == "file");
}

TEST_CASE("no prefix of a scenario makes the loader throw") {
  std::ifstream in(kFixtures / "good/products.json");
  std::stringstream text;
  text << in.rdbuf();
  const std::string whole = text.str();
  for (std::size_t n = 0; n < whole.size(); n += 3)
    CHECK_NOTHROW(Scenario::read({.file = "cut.json", .text = whole.substr(0, n)}));
}

}  // namespace fixtures_test
