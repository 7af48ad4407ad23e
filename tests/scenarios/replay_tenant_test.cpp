#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "scenarios/scenario_builder.hpp"
#include "stallcast/scenario.hpp"
#include "tests/support/programs.hpp"

namespace replay_tenant_test {

using namespace stallcast;
using stallcast::testing::program_file;
using stallcast::testing::random_reads;

namespace {

std::string scenario(const std::string& program, const std::string& more = "") {
  return R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 2 } ] },
              "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
              "tenants": [ { "id": "job", "type": "replay", "on": "scratch", "hosts": "gpu",
                             "program": ")" +
         program + "\"" + more + " } ] }";
}

std::string message(const Scenario& read) {
  std::string out;
  for (const Diagnostic& d : read.diagnostics().items()) out += d.pointer + ": " + d.message + "\n";
  return out;
}

// Three processes.
std::string program() {
  return program_file({{0, random_reads(3, 1000, 0.0)},
                       {1, random_reads(3, 1000, 0.0)},
                       {2, random_reads(3, 1000, 0.0)}});
}

}  // namespace

TEST_CASE("a replay needs no duration, and its program is found from the scenario") {
  const std::filesystem::path file = program();
  const auto read = Scenario::read({.file = (file.parent_path() / "mine.json").string(),
                                    .text = scenario(file.filename().string())});
  INFO(message(read));
  REQUIRE(read.ok());
  const Component& tenant = read.design().tenants.at(0);
  CHECK(tenant.find("program")->text == file.string());
  CHECK(tenant.find("sha256")->text == std::string(64, '0'));
  CHECK(tenant.find("speed")->text == "keep");
}

TEST_CASE(
    "a program is found from the file that names it, and a merged scenario may lie anywhere") {
  const std::filesystem::path file = program();
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "stallcast-replay-tenant-test";
  std::filesystem::create_directories(folder / "sub");
  std::filesystem::copy_file(file, folder / "sub" / "job.program",
                             std::filesystem::copy_options::overwrite_existing);
  std::ofstream(folder / "sub" / "base.json") << scenario("job.program");
  const std::string mine = (folder / "mine.json").string();
  const std::string text = R"({ "extends": "sub/base.json",
    "scenarios": { "fast": { "tenants": [ { "id": "job", "program": "sub/job.program" } ] } } })";
  const auto name = [&](const ScenarioFile& asked) {
    const auto read = Scenario::read(asked);
    INFO(message(read));
    REQUIRE(read.ok());
    return read.design().tenants.at(0).find("program")->text;
  };
  const std::string there = (folder / "sub" / "job.program").string();
  CHECK(name({.file = mine, .text = text}) == there);
  // What a variant or an option says is from where they stand.
  CHECK(name({.file = mine, .text = text, .variant = "fast"}) == there);
  CHECK(name({.file = mine, .text = text, .sets = {"tenants.job.program=sub/job.program"}}) ==
        there);
  const base::Json merged = ScenarioBuilder::merged(Scenario::read({.file = mine, .text = text}));
  CHECK(merged["tenants"][0]["program"] == there);
  CHECK(name({.file = "/elsewhere/x.json", .text = merged.dump()}) == there);
  CHECK(name({.file = "/elsewhere/x.json", .text = merged.dump(), .variant = "fast"}) == there);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a program that is another, or none, is an error") {
  const auto said = [](const std::string& text) {
    const auto read = Scenario::read({.file = "/tmp/mine.json", .text = text});
    CHECK(!read.ok());
    return message(read);
  };
  const std::string other = said(scenario(program(), R"(, "sha256": "1")"));
  CHECK(other.find("/tenants/0/program: the program has the SHA-256 000") == 0);
  CHECK(said(scenario("nowhere.program")).find("nowhere.program: No such file") != other.npos);
  CHECK(said(scenario("")).find("the program is a file") != other.npos);
  CHECK(said(scenario("/dev/null")).find("this is no program of a replay") != other.npos);
  const auto none = Scenario::read({.file = "/tmp/mine.json", .text = scenario("/dev/null")});
  CHECK(none.diagnostics().items().at(0).position.line == 4);
  CHECK(said(scenario(program(), R"(, "per_host": 1)")).find("need 3 hosts") != other.npos);
}

TEST_CASE("a program with a record that is none is an error of the scenario") {
  std::vector<stallcast::ReplayStep> steps = random_reads(3, 1000, 0.0);
  steps.back().calls = 0;
  const auto read =
      Scenario::read({.file = "/tmp/mine.json", .text = scenario(program_file({{0, steps}}))});
  REQUIRE(!read.ok());
  CHECK(message(read).find("the program of a replay is damaged") != std::string::npos);
}

TEST_CASE("a program that waits for what never comes is an error of the scenario") {
  std::vector<stallcast::ReplayStep> steps = random_reads(3, 1000, 0.0);
  steps[0].action = steps[1].action = stallcast::ReplayAction::post;
  steps[0].file = steps[1].file = 2;
  steps[2].action = stallcast::ReplayAction::take;
  steps[2].file = 1;  // which nobody posts
  const auto read =
      Scenario::read({.file = "/tmp/mine.json", .text = scenario(program_file({{0, steps}}))});
  REQUIRE(!read.ok());
  CHECK(message(read).find("the program of a replay waits for what never comes") !=
        std::string::npos);
  CHECK(read.diagnostics().items().at(0).position.line == 4);
}

TEST_CASE("files of a program lie where its scenario says") {
  const auto said = [](const std::string& program, const std::string& more) {
    return message(Scenario::read({.file = "/tmp/mine.json", .text = scenario(program, more)}));
  };
  CHECK(said(program(), R"(, "also": ["bucket"])") ==
        "/tenants/0/also: there is no storage system \"bucket\"\n");
  CHECK(said(program(), R"(, "also": ["scratch"])") == "");
  const std::string two = program_file({{0, random_reads(3, 1000, 0.0)}}, 0, 2);
  CHECK(said(two, R"(, "also": ["scratch"])") == "");
  CHECK(said(two, "") ==
        "/tenants/0/also: the files of the program lie on 2 storage systems, and one is named\n");
}

TEST_CASE("a program is a text, and hosts are those of the cluster") {
  std::string text = scenario(program());
  text.replace(text.find("\"hosts\": \"gpu\""), 14, "\"hosts\": \"cpu\"");
  CHECK(message(Scenario::read({.file = "/tmp/mine.json", .text = text})) ==
        "/tenants/0/hosts: no host class \"cpu\"\n");
  std::string number = scenario("");
  number.replace(number.find("\"program\": \"\""), 13, "\"program\": 7");
  CHECK(message(Scenario::read({.file = "/tmp/mine.json", .text = number}))
            .find("/tenants/0/program: ") == 0);
}

TEST_CASE("a server reads no program, nor says which there are") {
  for (const std::string& path : {program(), std::string("/nowhere"), std::string("/dev/null")}) {
    const auto read =
        Scenario::read({.file = "x.json", .text = scenario(path), .extend_files = false});
    REQUIRE(!read.ok());
    CHECK(message(read) == "/tenants/0/program: files cannot be read here\n");
  }
}

}  // namespace replay_tenant_test
