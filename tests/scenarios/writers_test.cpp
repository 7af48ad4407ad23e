#include <catch2/catch.hpp>

#include "tests/scenarios/support.hpp"

/// Storage that was measured by reads alone is said to lack a law of writes by whoever writes to
/// it.
namespace writers_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

// A job beside "drives", which were only read from, and a Lustre.
std::string remark(const std::string& in_job, const std::string& others = "") {
  const std::string whole =
      R"({ "cluster": { "hosts": [ { "id": "gpu", "count": 4 })" +
      std::string(others.empty() ? "" : R"(, { "id": "serve", "count": 1 })") + R"( ] },
           "storage": [ { "id": "drives", "type": "measured", "scope": "shared",
                          "read": { "law": "line", "latency": "1 ms", "rate": "1 GB/s" } },
                        { "id": "scratch", "type": "lustre", "ost": { "count": 8 } } ],
           "jobs": [ { "id": "train", "hosts": "gpu", "step": { "compute": "1 s" } )" +
      in_job + " } ]" + others + R"(, "run": { "duration": "1 h" } })";
  const auto loaded = load_with({}, "", whole.c_str());
  std::string out;
  for (const Diagnostic& d : loaded.diagnostics().items())
    out += (out.empty() ? "" : "; ") + d.pointer + " " + d.message;
  return out;
}

std::string lacks(const std::string& who) {
  return "/storage/0 storage \"drives\" lacks \"write.rate\", and " + who + " writes to it";
}

}  // namespace

TEST_CASE("a job that saves to drives that were only read from is refused") {
  const auto saves = [](const std::string& where) {
    return remark(R"(, "checkpoint": { "every": "1 min", "size": "1 TB", )" + where + " }");
  };
  CHECK(remark("") == "");
  CHECK(saves(R"("to": "scratch")") == "");
  CHECK(saves(R"("to": "drives")") == lacks("job \"train\""));
  CHECK(
      saves(R"("to": "scratch", "mode": "async", "tiers": ["host-memory", "drives", "scratch"])") ==
      lacks("job \"train\""));
}

TEST_CASE("so are stages and tenants that write there, and none that read") {
  const auto stage = [](const std::string& to) {
    return remark("", R"(, "stages": [ { "id": "in", "type": "copy", "from": "scratch", "to": ")" +
                          to + R"(", "hosts": "gpu", "size": "1 TB" } ])");
  };
  CHECK(stage("drives") == lacks("stage \"in\""));
  const auto tenant = [](const std::string& fields) {
    return remark("", R"(, "tenants": [ { "id": "other", "on": "drives", "hosts": "serve", )" +
                          fields + " } ]");
  };
  CHECK(tenant(R"("type": "ingest", "rate": "1 GB/s")") == lacks("tenant \"other\""));
  CHECK(tenant(R"("type": "fio", "rw": "randwrite")") == lacks("tenant \"other\""));
  CHECK(tenant(R"("type": "fio", "rw": "randread")") == "");
  CHECK(tenant(R"("type": "inference", "rate": "1 ops/s")") == "");
  CHECK(tenant(R"("type": "vector_database", "clients": 4)") == "");
  CHECK(tenant(R"("type": "kv_cache", "rate": "1 ops/s")") == lacks("tenant \"other\""));
  CHECK(tenant(R"("type": "kv_cache", "rate": "1 ops/s", "offload": false)") == "");
  CHECK(tenant(R"("type": "fio", "rw": "randrw")") == lacks("tenant \"other\""));
  CHECK(tenant(R"("type": "fio", "rw": "randrw", "rwmixread": "100 %")") == "");
  CHECK(tenant(R"("type": "preprocess")") == lacks("tenant \"other\""));
  CHECK(tenant(R"("type": "preprocess", "ratio": 0)") == "");
}

}  // namespace writers_test
