#include "scenarios/importers/slurm.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "engine/base/jsonc.hpp"
#include "stallcast/scenario.hpp"

namespace slurm_test {

using namespace stallcast;
using Catch::Matchers::Contains;
using scenarios::ImportResult;
using Names = std::vector<std::string>;

namespace {

ImportResult import(const std::string& text, const scenarios::ImportOptions& options = {}) {
  return scenarios::import_slurm(text, "site.json", options);
}
base::Json hosts(const ImportResult& result) {
  for (const Diagnostic& d : result.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE_FALSE(result.diagnostics.has_errors());
  return base::Json::parse(result.scenario)["cluster"]["hosts"];
}

// Four nodes of 2 x 56 cores with 8 GPUs, one of which is in two partitions and one in another
// state, and two without GPUs: as newer versions of sinfo write it.
constexpr const char* kRows = R"x({ "sinfo": [
  { "partition": { "name": "train" }, "node": { "state": ["IDLE"] },
    "nodes": { "total": 3, "nodes": ["gpu[01-03]"] },
    "cpus": { "minimum": 224, "maximum": 224, "total": 672 },
    "sockets": { "minimum": 2, "maximum": 2 }, "cores": { "minimum": 56, "maximum": 56 },
    "memory": { "minimum": 2063000, "maximum": 2063000 }, "gres": { "total": "gpu:h100:8(S:0-1)" } },
  { "partition": { "name": "train" }, "node": { "state": ["DOWN", "DRAIN"] },
    "nodes": { "total": 1, "nodes": ["gpu04"] },
    "sockets": { "maximum": 2 }, "cores": { "maximum": 56 },
    "memory": { "minimum": 2063000 }, "gres": { "total": "gpu:h100:8(S:0-1)" } },
  { "partition": { "name": "debug" }, "node": { "state": ["IDLE"] },
    "nodes": { "total": 1, "nodes": ["gpu01"] },
    "sockets": { "maximum": 2 }, "cores": { "maximum": 56 },
    "memory": { "minimum": 2063000 }, "gres": { "total": "gpu:h100:8(S:0-1)" } },
  { "partition": { "name": "cpu" }, "node": { "state": ["IDLE"] },
    "nodes": { "total": 2, "nodes": ["n1", "n2"] },
    "sockets": { "maximum": 1 }, "cores": { "maximum": 32 },
    "memory": { "minimum": 256000 }, "gres": { "total": "" } } ] })x";

// Two of the same, as scontrol and older versions of sinfo write nodes.
constexpr const char* kNodes = R"x({ "nodes": [
  { "name": "gpu01", "sockets": 2, "cores": 56, "threads": 2, "cpus": 224, "real_memory": 2063000,
    "gres": "gpu:h100:8(S:0-1)", "state": "idle" },
  { "name": "gpu02", "sockets": 2, "cores": 56, "threads": 2, "cpus": 224,
    "real_memory": 2062990, "gres": "gpu:h100:8(S:0-1)", "state": ["IDLE"] } ] })x";

constexpr const char* kText = R"x(NodeName=gpu01 Arch=x86_64 CoresPerSocket=56
   CPUAlloc=0 CPUTot=224 CPULoad=0.01
   Gres=gpu:h100:8(S:0-1)
   OS=Linux 6.1.0 #1 SMP
   RealMemory=2063000 AllocMem=0 FreeMem=2000000 Sockets=2 Boards=1
   State=IDLE ThreadsPerCore=2

NodeName=gpu02 Arch=x86_64 CoresPerSocket=56
   CPUAlloc=0 CPUTot=224 Gres=gpu:h100:8(S:0-1)
   RealMemory=2063000 Sockets=2 State=IDLE
)x";

}  // namespace

TEST_CASE("nodes that are alike are one class of hosts, each counted once") {
  const ImportResult result = import(kRows);
  const base::Json h = hosts(result);
  REQUIRE(h.size() == 2);
  CHECK(h[0]["id"] == "h100");
  CHECK(h[0]["count"] == 4);
  CHECK(h[0]["gpus"] == 8);
  CHECK(h[0]["cpu"]["cores"] == 112);  // 2 x 56, not the threads
  CHECK(h[1]["id"] == "cpu");
  CHECK(h[1]["count"] == 2);
  CHECK(h[1]["gpus"] == 0);
  const auto loaded = Scenario::read({.file = "site.json", .text = result.scenario});
  for (const Diagnostic& d : loaded.diagnostics().items()) UNSCOPED_INFO(d.pointer << d.message);
  REQUIRE(loaded.ok());
  CHECK(loaded.design().hosts[0].find("memory.size")->number == 2063000.0 * 1048576.0);
  std::string said;
  for (const Diagnostic& d : result.diagnostics.items()) said += d.message + d.hint + "\n";
  CHECK_THAT(said, Contains("1 of these nodes are down or drained"));
  CHECK_THAT(said, Contains("host/dgx-h100"));
}

TEST_CASE("nodes of one row that differ have the least of each, with a warning") {
  const auto row = [](const char* cores, const char* memory) {
    return import(std::string(R"({ "sinfo": [ { "nodes": { "total": 4, "nodes": ["mix[1-4]"] },
      "sockets": { "minimum": 1, "maximum": 2 }, "gres": { "total": "gpu:4" }, "cores": )") +
                  cores + R"(, "memory": )" + memory + "} ] }");
  };
  const auto warned = [](const ImportResult& result) {
    std::string out;
    for (const Diagnostic& d : result.diagnostics.items()) out += d.message + "\n";
    return out;
  };
  const ImportResult mixed =
      row(R"({ "minimum": 32, "maximum": 64 })", R"({ "minimum": 128000, "maximum": 512000 })");
  CHECK(hosts(mixed)[0]["cpu"]["cores"] == 32);
  CHECK(hosts(mixed)[0]["memory"]["size"] == "125 GiB");  // 128000 MiB
  CHECK_THAT(warned(mixed), Contains("32 to 128 cores and 128000 to 512000 MiB"));
  CHECK_THAT(warned(import(kRows)), !Contains("in one row"));
}

TEST_CASE("sinfo of older versions and scontrol say the same of the same nodes") {
  for (const char* text : {kNodes, kText}) {
    const base::Json h = hosts(import(text));
    REQUIRE(h.size() == 1);
    CHECK(h[0]["count"] == 2);
    CHECK(h[0]["gpus"] == 8);
    CHECK(h[0]["cpu"]["cores"] == 112);
    CHECK(scenarios::is_slurm(text));
  }
  const ImportResult down = import(
      R"({ "nodes": [ { "name": "a", "cores": 4, "state": "idle", "state_flags": ["DRAIN"] },
                      { "name": "b", "cores": 4, "state": "down" } ] })");
  CHECK(hosts(down)[0]["count"] == 2);
  std::string said;
  for (const Diagnostic& d : down.diagnostics.items()) said += d.message + "\n";
  CHECK_THAT(said, Contains("2 of these nodes are down or drained"));
  // Numbers that may be unset.
  CHECK(hosts(import(R"({ "nodes": [ { "name": "a", "cores": { "set": true, "number": 16 },
                          "gres": "gpu:2,gpu:a100:2", "real_memory": 1024 } ] })"))[0]["gpus"] ==
        4);
}

TEST_CASE("nodes without GPUs have a load in place of a job") {
  const ImportResult result = import("NodeName=n1 CPUTot=4 RealMemory=8000 Gres=(null)\n");
  CHECK(hosts(result)[0]["gpus"] == 0);
  CHECK(Scenario::read({.file = "site.json", .text = result.scenario}).ok());
  CHECK(import("{}").diagnostics.has_errors());
  CHECK(import("").diagnostics.has_errors());
}

TEST_CASE("names of a host list") {
  using scenarios::slurm_names;
  CHECK(slurm_names("gpu[01-03,7],login") == Names{"gpu01", "gpu02", "gpu03", "gpu7", "login"});
  CHECK(slurm_names("r[8-10]-x") == Names{"r8-x", "r9-x", "r10-x"});
  CHECK(slurm_names("") == Names{});
  CHECK(slurm_names("a[3-1]") == Names{});
  CHECK(slurm_names("a[1-") == Names{});
  CHECK(slurm_names("a[1-999999999]") == Names{});
  CHECK(slurm_names(std::string(250, 'a') + "[01-02]").size() == 2);
  CHECK(slurm_names(std::string(300, 'a') + "[1-100000]") == Names{});
  CHECK(slurm_names("a[" + std::string(300, '0') + "1-100000]") == Names{});
  CHECK(slurm_names(std::string(300, 'a')) == Names{});
}

TEST_CASE("names that are too many for a file count by their rows, with a warning") {
  const auto row = [](const std::string& names) {
    return R"({ "nodes": { "total": 5, "nodes": [")" + names + R"("] }, "cores": 4 })";
  };
  const auto said = [](const ImportResult& result) {
    std::string out;
    for (const Diagnostic& d : result.diagnostics.items()) out += d.message + "\n";
    return out;
  };
  const ImportResult few = import("{ \"sinfo\": [" + row("a[1-5]") + "," + row("a[1-5]") + "] }");
  CHECK(hosts(few)[0]["count"] == 5);
  CHECK_THAT(said(few), !Contains("not taken apart"));
  const ImportResult two = import("{ \"sinfo\": [" + row("a[1-") + "," + row("a[1-5]") + "] }");
  CHECK(hosts(two)[0]["count"] == 10);
  CHECK_THAT(said(two), Contains("names of 1 rows are not taken apart"));
  std::string many = row("a[1-100000]");
  for (int i = 0; i < 999; ++i) many += "," + row(std::string(i % 200 + 1, 'b') + "[1-99999]");
  CHECK_THAT(said(import("{ \"sinfo\": [" + many + "] }")), Contains("rows are not taken apart"));
}

TEST_CASE("nodes of scontrol that do not answer are down, and slurm.conf is an error") {
  const ImportResult silent = import("NodeName=a CPUTot=4 State=IDLE*\n");
  std::string said;
  for (const Diagnostic& d : silent.diagnostics.items()) said += d.message + "\n";
  CHECK_THAT(said, Contains("1 of these nodes are down"));
  for (const char* names : {"gpu[01-64]", "a,b", "DEFAULT"}) {
    INFO(names);
    const ImportResult result =
        import("NodeName=c CPUTot=4\nNodeName=" + std::string(names) + " CPUs=64 Sockets=2\n");
    REQUIRE(result.diagnostics.has_errors());
    CHECK(result.diagnostics.items()[0].position.line == 2);
    CHECK_THAT(result.diagnostics.items()[0].message, Contains(names));
    CHECK_THAT(result.diagnostics.items()[0].hint, Contains("scontrol show nodes"));
  }
}

}  // namespace slurm_test
