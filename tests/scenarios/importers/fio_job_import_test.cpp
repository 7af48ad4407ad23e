#include <catch2/catch.hpp>
#include <string>

#include "engine/base/jsonc.hpp"
#include "scenarios/fio/fio_file.hpp"
#include "scenarios/importers/fio_job.hpp"
#include "stallcast/scenario.hpp"

namespace fio_job_import_test {

using namespace stallcast;
using Catch::Matchers::Contains;
using scenarios::ImportResult;

namespace {

ImportResult import(const std::string& text, const scenarios::ImportOptions& options = {}) {
  return scenarios::import_fio_job(text, "noise.fio", options);
}
base::Json tenants(const ImportResult& result) {
  for (const Diagnostic& d : result.diagnostics.items()) UNSCOPED_INFO(d.message);
  REQUIRE_FALSE(result.diagnostics.has_errors());
  return base::Json::parse(result.scenario)["tenants"];
}
std::string said(const ImportResult& result) {
  std::string out;
  for (const Diagnostic& d : result.diagnostics.items())
    out += std::to_string(d.position.line) + ": " + d.message + "\n";
  return out;
}

constexpr const char* kFile = R"(; a neighbour
[global]
ioengine=libaio
direct=1
bs=128k
runtime=5m
time_based

[mixed]
rw=randrw
rwmixread=70
numjobs=16
iodepth=32
rate=64m

[scan]
bs=1m
startdelay=30
)";

}  // namespace

TEST_CASE("each job of a fio file is a tenant with the options of all jobs") {
  scenarios::ImportOptions options;
  options.hosts = 4;
  const ImportResult result = import(kFile, options);
  const base::Json t = tenants(result);
  REQUIRE(t.size() == 2);
  CHECK(t[0]["id"] == "mixed");
  CHECK(t[0]["rw"] == "randrw");
  CHECK(t[0]["rwmixread"] == "70 %");
  CHECK(t[0]["numjobs"] == 16);
  CHECK(t[0]["iodepth"] == 32);
  CHECK(t[0]["bs"] == "128 KiB");
  CHECK(t[0]["rate"] == "64 MiB/s");
  CHECK(t[0]["direct"] == true);
  CHECK(t[1]["rw"] == "read");  // fio's default
  CHECK(t[1]["bs"] == "1 MiB");
  // 30 s, and 5 min from then on; the run ends with the job that ends last.
  const auto loaded = Scenario::read({.file = "noise.json", .text = result.scenario});
  for (const Diagnostic& d : loaded.diagnostics().items()) UNSCOPED_INFO(d.pointer << d.message);
  REQUIRE(loaded.ok());
  CHECK(loaded.design().tenants[1].find("start")->number == 30.0);
  CHECK(loaded.design().tenants[1].find("stop")->number == 330.0);
  CHECK(loaded.design().run.find("duration")->number == 330.0);
  CHECK(loaded.design().hosts[0].find("count")->number == 4.0);
}

TEST_CASE("what a tenant cannot say is warned of with its line") {
  const std::string text = said(
      import("[a]\nrw=randread:8\nioengine=libaio\nthinktime=100\nsize=10g\nbssplit=4k/50:64k/50\n"
             "[b]\nrw=randtrim\n[c]\nstonewall\nrw=write\niodepth=8\n"));
  CHECK_THAT(text, Contains("2: \"rw=randread:8\" is taken as randread"));
  CHECK_THAT(text, Contains("4: \"thinktime\" is not modelled"));
  CHECK_THAT(text, Contains("5: \"size=10g\" is left out"));
  CHECK_THAT(text, Contains("6: \"bssplit\" is not modelled"));
  CHECK_THAT(text, Contains("8: \"rw=randtrim\" is not modelled: job \"b\" is left out"));
  CHECK_THAT(text, Contains("10: \"stonewall\" is left out"));
  CHECK_THAT(text, Contains("12: \"iodepth=8\" is 1 with ioengine psync, fio's default"));
}

TEST_CASE("an engine that holds one request at a time has a depth of one") {
  // fio's manual: a depth above 1 does not affect synchronous engines.
  const auto depth = [](const std::string& options) {
    return tenants(import("[a]\niodepth=32\n" + options))[0]["iodepth"];
  };
  CHECK(depth("") == 1);
  CHECK(depth("ioengine=sync\n") == 1);
  CHECK(depth("ioengine=libaio\n") == 32);
  CHECK(depth("ioengine=io_uring\n") == 32);
}

TEST_CASE("a line of [global] is warned of once, and what cannot be read is an error") {
  const std::string once = said(import("[global]\nthinktime=1\n[a]\nrw=read\n[b]\nrw=write\n"));
  CHECK(once.find("thinktime") == once.rfind("thinktime"));
  CHECK(import("[a]\nbs=4k,64k\n").diagnostics.has_errors());
  CHECK_THAT(said(import("[a]\nnumjobs=.5\n")), Contains("2: cannot read \"numjobs=.5\""));
  CHECK_THAT(said(import("[a]\nbs=4k,64k\n")), Contains("2: cannot read \"bs=4k,64k\""));
  CHECK_THAT(said(import("rw=read\n")), Contains("no job of fio"));
  CHECK_THAT(said(import("[a]\nrw=trim\n")), Contains("no job of this file reads or writes"));
}

TEST_CASE("jobs go to the storage and hosts of a scenario that is named") {
  scenarios::ImportOptions options;
  options.storage_text = R"({ "cluster": { "hosts": [ { "id": "node", "count": 8 } ] },
                              "storage": [ { "id": "home", "type": "nfs" } ] })";
  options.storage_file = "site.json";
  const base::Json t = tenants(import("[a]\nrw=write\n[a]\nrw=read\n", options));
  CHECK(t[0]["on"] == "home");
  CHECK(t[0]["hosts"] == "node");
  CHECK(t[1]["id"] == "a-2");
}

TEST_CASE("an option of a job replaces that of all jobs, under either name") {
  const base::Json t = tenants(import(
      "[global]\nrw=trim\nbs=4k,64k\nrate=1m\n[a]\nreadwrite=write\nblocksize=8k,\nrate=0\n"));
  REQUIRE(t.size() == 1);
  CHECK(t[0]["rw"] == "write");
  CHECK(t[0]["bs"] == "8 KiB");
  CHECK_FALSE(t[0].contains("rate"));                               // fio: 0 is no limit
  CHECK(tenants(import("[a]\niodepth=32,\n"))[0]["iodepth"] == 1);  // psync
  CHECK_THAT(said(import("[global]\nrw=read:8\n[a]\nrw=write\n")), !Contains("is taken as"));
}

TEST_CASE("values that no option of fio takes are errors with their line") {
  for (const char* line : {"bs=-4k", "bs=0", "numjobs=-5", "numjobs=0", "iodepth=0",
                           "rwmixwrite=150", "rwmixread=-1", "rate=-1m", "direct=yes"}) {
    INFO(line);
    CHECK_THAT(said(import("[a]\nrw=randrw\n" + std::string(line) + "\n")),
               Contains("3: cannot read \"" + std::string(line) + "\""));
  }
}

TEST_CASE("a few lines do not become millions") {
  std::string text = "[global]\nrw=read\n";
  for (int i = 0; i < 2500; ++i) text += "a\n";
  for (int i = 0; i < 2500; ++i) text += "[a]\n";
  CHECK(scenarios::is_fio_file(text));
  CHECK(scenarios::read_fio_file(text).jobs.empty());
  // 2502 lines with [global], then 2502 options of each job: the 40th is one too many.
  CHECK_THAT(said(import(text)), Contains("2541: the jobs up to here have more than 100000"));
  std::string wide = "[global]\ndescription=" + std::string(200000, 'x') + "\n";
  for (int i = 0; i < 1000; ++i) wide += "[a]\n";
  CHECK(scenarios::read_fio_file(wide).fault);
  // Jobs of one name by thousands.
  std::string same;
  for (int i = 0; i < 3000; ++i) same += "[a]\nrw=read\n";
  CHECK(tenants(import(same))[2999]["id"] == "a-3000");
}

TEST_CASE("a scenario that storage is taken from is held to its form") {
  const auto place = [](const std::string& more) {
    scenarios::ImportOptions options;
    options.storage_file = "site.json";
    options.storage_text = R"({ "storage": [ { "id": "home", "type": "nfs" } ], )" + more + " }";
    const ImportResult result = import("[a]\nrw=read\n", options);
    REQUIRE(result.diagnostics.has_errors());
    const Diagnostic& d = result.diagnostics.items()[0];
    return d.position.file + ":" + d.pointer;
  };
  CHECK(place(R"("cluster": { "hosts": { "0": { "id": "x" } } })") == "site.json:/cluster/hosts");
  CHECK(place(R"("cluster": { "hosts": 3 })") == "site.json:/cluster/hosts");
  CHECK(place(R"("cluster": { "hosts": [3] })") == "site.json:/cluster/hosts");
  CHECK(place(R"("params": 3)") == "site.json:/params");
}

}  // namespace fio_job_import_test
