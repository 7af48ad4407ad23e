#include <catch2/catch.hpp>

#include "tests/scenarios/support.hpp"

/// What a scenario says that cannot be, and what is answered.
namespace slips_test {

using namespace stallcast;
using namespace stallcast::testing;
using Catch::Matchers::Contains;

namespace {

/// kScenario with more at its top and in its job.
std::string fault(const std::string& top, const std::string& in_job = "") {
  std::string text = kScenario;
  text.insert(1, top);
  const std::string job = R"("id": "train",)";
  text.insert(text.find(job) + job.size(), in_job);
  return only_fault(load_with({}, "", text.c_str()));
}

std::string remark(const std::string& text) {
  const auto loaded = load_with({}, "", text.c_str());
  std::string out;
  for (const Diagnostic& d : loaded.diagnostics().items())
    out += (out.empty() ? "" : "; ") + d.pointer + " " + d.message;
  return out;
}

std::string param(const std::string& fields) {
  std::string text = kScenario;
  text.insert(1, R"("params": { "n": { "value": 4, )" + fields + " } },");
  return remark(text);
}

// A job whose saves end in the memory of other hosts.
std::string in_memory(const std::string& save, const std::string& more = "") {
  return remark(R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 16 } ] },
    "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
    "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" },
      "checkpoint": { "to": "peer-memory", "every": "1 min", "size": "1 TB", "mode": "async")" +
                save + " } " + more + R"( } ], "run": { "duration": "1 h" } })");
}

}  // namespace

TEST_CASE("parameters are named values with limits in order") {
  CHECK_THAT(fault(R"("params": [ 4 ],)"), Contains("is an object of named values"));
  CHECK_THAT(param(R"("min": true)"), Contains("\"min\" takes a number"));
  CHECK_THAT(param(R"("min": 6, "max": 3)"), Contains("is above the largest"));
  CHECK_THAT(param(R"("step": 0)"), Contains("\"step\" must be above 0"));
  CHECK_THAT(param(R"("doc": 7)"), Contains("\"doc\" takes a text"));
}

TEST_CASE("hints for expressions without a unit lead to what was meant") {
  const auto hint = [](const std::string& field, const std::string& value) {
    std::string text = kScenario;
    text.insert(1, R"("params": { "n": )" + value + " },");
    const auto loaded = load_with({field}, "", text.c_str());
    REQUIRE(loaded.diagnostics().items().size() == 1);
    return loaded.diagnostics().items()[0].hint;
  };
  const std::string or_param = ", or give the parameter a unit";
  CHECK(hint("jobs.step.jitter==n", "0.4") == "write \"=100 * n %\"" + or_param);
  CHECK(hint("jobs.step.jitter==n / 2", "0.4") == "write \"=100 * (n / 2) %\"" + or_param);
  CHECK(hint("jobs.step.jitter==n", "40") == "write \"=n %\"" + or_param);
  CHECK(hint("storage.ost.read==n", "4") == "write \"=n GB/s\"" + or_param);
  CHECK(hint("storage.ost.read==n", "4e9") == "write \"=n B/s\"" + or_param);
  CHECK(hint("jobs.dataset.sample==n", "1000") == "write \"=n B\" or \"=n GB\"" + or_param);
  CHECK_THAT(only_fault(load_with({"cluster.hosts.gpu.gpu.power=700"})),
             Contains("| write \"700 W\" or \"700 kW\""));
  CHECK(
      design_of(load_with({"jobs.step.jitter==100 * 0.4 %"})).jobs[0].step.find("jitter")->number ==
      Approx(0.4));
}

TEST_CASE("a file that this program wrote and is no scenario is recognised") {
  const auto said = [](const char* text) {
    const auto loaded = load_with({}, "", text);
    REQUIRE(loaded.diagnostics().items().size() == 1);
    const Diagnostic& d = loaded.diagnostics().items()[0];
    CHECK(d.code == "no-scenario");
    CHECK(d.position.line == 1);
    return d.pointer + " " + d.message + "; " + d.hint;
  };
  const std::string result = said(
      R"({ "schema": "stallcast.result/1", "scenario": { "id": "a", "file": "designs/a.json" } })");
  CHECK_THAT(result, Contains("/schema this is a result of \"stallcast run\""));
  CHECK_THAT(result, Contains("stallcast diff test.json OTHER"));
  CHECK_THAT(result, Contains("its scenario is designs/a.json"));
  CHECK_THAT(said(R"({ "schema": "stallcast.baseline/1", "entries": {} })"),
             Contains("--baseline test.json"));
  CHECK_THAT(said(R"({ "schema": "stallcast.comparison/1" })"),
             Contains("give the scenario that it was made of"));
  CHECK_THAT(said(R"({ "schema": "stallcast.later/9" })"), Contains("\"stallcast.later/9\""));
}

TEST_CASE("a key with dots is written as objects in each other") {
  std::string text = kScenario;
  text.insert(text.find(R"("ost":)"), R"("request.get.price": "1 USD", )");
  CHECK_THAT(only_fault(load_with({}, "", text.c_str())),
             Contains(R"(write nested objects: "request": { "get": { "price": ... } })"));
}

TEST_CASE("parameters that depend on each other for ever are refused") {
  CHECK_THAT(fault(R"("params": { "a": "=a + 1" },)"), Contains("depends on itself"));
  std::string chain = R"("params": { "p0": 1)";
  for (int i = 1; i < 2000; ++i)
    chain += ", \"p" + std::to_string(2000 - i) + "\": \"=p" + std::to_string(1999 - i) + "\"";
  CHECK_THAT(remark("{" + chain + " }, " + (kScenario + 1)),
             Contains("others that depend on each other"));
}

TEST_CASE("--set says what it cannot reach") {
  const auto set = [](const std::string& what) { return only_fault(load_with({what})); };
  CHECK_THAT(set("run[+].seed=1"), Contains("not a list"));
  CHECK_THAT(set("jobs[train].loader[x].workers=1"), Contains("is not a list of things with ids"));
  CHECK_THAT(set("[x].count=1"), Contains("no element \"x\" in the scenario"));
  CHECK_THAT(set("storage[other].ost.count=1"), Contains("no element \"other\" in storage"));
}

TEST_CASE("a job runs where there are GPUs, and is cut into as many parts as it has") {
  CHECK_THAT(only_fault(load_with({"cluster.hosts.gpus=0"})), Contains("which has no GPUs"));
  const auto shape = [](const std::string& heads, const std::string& job = "") {
    return fault("", job + R"("model": { "shape": { "vocabulary": 1000, "hidden": 64, "ffn": 256,
                                  "heads": )" +
                         heads + R"(, "kv_heads": 2, "layers": 4 } },)");
  };
  CHECK_THAT(shape("128"), Contains("more heads than the hidden size of 64"));
  CHECK_THAT(shape("8", R"("parallel": { "pipeline": 8 },)"),
             Contains("more pipeline stages than the 4 layers"));
}

TEST_CASE("a tenant starts before the run ends") {
  const auto starts = [](const std::string& at) {
    return remark(R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
      "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
      "tenants": [ { "id": "in", "type": "ingest", "on": "scratch", "hosts": "gpu",
                     "rate": "1 GB/s", "start": ")" +
                  at + R"(" } ], "run": { "duration": "1 h" } })");
  };
  CHECK(starts("59 min") == "");
  CHECK(starts("1 h") == "/tenants/0/start the run ends before tenant \"in\" starts");
}

TEST_CASE("what comes after the run does nothing in it") {
  const auto said = [](const std::string& host, const std::string& tenant) {
    return remark(R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 4)" + host + R"( } ] },
      "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
      "tenants": [ { "id": "a", "type": "inference", "on": "scratch", "hosts": "gpu", "rate": "1 ops/s")" +
                  tenant + R"( } ], "run": { "duration": "1 h" } })");
  };
  CHECK(said("", "") == "");
  CHECK_THAT(said(R"(, "slow": { "count": 1, "from": "2 h" })", ""),
             Contains("/cluster/hosts/0/slow/from the run ends before \"slow.from\" of \"gpu\""));
  CHECK(said(R"(, "slow": { "count": 1, "from": "30 min" })", "") == "");
  CHECK_THAT(said("", R"(, "weights": "1 GB", "scale_every": "10 h")"),
             Contains("/tenants/0/scale_every the run ends before"));
  CHECK(said("", R"(, "weights": "1 GB", "scale_every": "1 min")") == "");
}

TEST_CASE(
    "artifacts that come after the run's end are spoken of, also where their time is assumed") {
  const auto said = [](const std::string& tenant, const std::string& duration) {
    return remark(R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 4 } ] },
      "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
      "tenants": [ { "id": "a", "type": "tracking", "on": "scratch", "hosts": "gpu", "writers": 4)" +
                  tenant + R"( } ], "run": { "duration": ")" + duration + R"(" } })");
  };
  CHECK(said("", "5 min") == "");
  CHECK_THAT(said(R"(, "artifact": "1 GB")", "5 min"),
             Contains("/tenants/0/artifact_every the run ends before \"artifact_every\" of \"a\""));
  CHECK(said(R"(, "artifact": "1 GB", "artifact_every": "1 min")", "5 min") == "");
}

TEST_CASE("saves that end in memory are no files, and survive what fails") {
  CHECK(in_memory("") == "");
  for (const char* field : {R"("gds": true)", R"("incremental": { "fraction": "25 %" })",
                            R"("compress": { "ratio": 2, "on": "cpu", "rate": "1 GB/s" })",
                            R"("snapshot": "none")", R"("verify": "read-back")"}) {
    INFO(field);
    CHECK_THAT(in_memory(", " + std::string(field)), Contains("ends in memory, and "));
  }
  CHECK_THAT(in_memory(R"(, "checksum": "10 GB/s")"), Contains("\"checksum\" is of files"));
  CHECK_THAT(in_memory("", R"(, "elastic": { "gpus": 8 })"),
             Contains("lends GPUs, and its saves lie in the hosts' memory"));
}

TEST_CASE("a tier is named once") {
  const std::string twice =
      in_memory(R"(, "tiers": ["host-memory", "host-memory", "peer-memory"])");
  CHECK_THAT(twice, Contains("the tier \"host-memory\" is named twice"));
}

TEST_CASE("a scenario has hosts, and something that runs") {
  CHECK_THAT(remark("{}"), Contains("the scenario has no host class"));
  CHECK_THAT(remark("{}"), Contains("neither a job nor a tenant nor a stage"));
}

TEST_CASE("GPUs that a job and a served model both have are remarked upon, with a way out") {
  const auto served = [](const std::string& hosts, const std::string& in_job) {
    return remark(R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 2, "gpus": 8 },
                                               { "id": "serve", "count": 1, "gpus": 8 } ] },
      "storage": [ { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
      "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" })" +
                  in_job + R"( } ],
      "tenants": [ { "id": "chat", "type": "kv_cache", "rate": "1 ops/s", "gpus": 4,
                     "on": "scratch", "hosts": ")" +
                  hosts + R"(" } ], "run": { "duration": "1 h" } })");
  };
  CHECK_THAT(served("gpu", ""),
             Contains("/tenants/0/hosts replicas of \"chat\" are on 16 of the 16 GPUs of \"gpu\", "
                      "of which job \"train\" uses 16"));
  CHECK_THAT(served("gpu", R"(, "accelerators": 8)"), Contains("job \"train\" uses 8"));
  CHECK(served("serve", "") == "");
}

TEST_CASE("copies on fewer servers, and bursts below what follows them, are warned of") {
  const auto of = [](const std::string& storage) {
    const std::string text = R"({ "cluster": { "hosts": [ { "id": "h", "count": 1 } ] },
      "storage": [ { "id": "s", )" +
                             storage + " } ], \"run\": { \"duration\": \"1 s\" } }";
    return remarks(load_with({}, "", text.c_str()).diagnostics());
  };
  const std::string ceph = R"("type": "cephfs", "osd": { "count": 12 }, "server": { "count": 3 })";
  CHECK_THAT(of(ceph), !Contains("servers for"));
  CHECK_THAT(of(ceph + R"(, "replicas": 4)"), Contains("3 servers for 4 copies"));
  CHECK_THAT(of(ceph + R"(, "code": { "data": 8, "parity": 3 })"),
             Contains("3 servers for 11 pieces"));
  const auto burst = [](const char* rate) {
    return R"("type": "local", "drive": { "count": 1, "write": "2 GB/s", "burst": "1 GB", "burst_write": ")" +
           std::string(rate) + "\" }";
  };
  CHECK_THAT(of(burst("3 GB/s")), !Contains("burst"));
  CHECK_THAT(of(burst("1 GB/s")), Contains("1 GB/s against 2 GB/s"));
}

}  // namespace slips_test
