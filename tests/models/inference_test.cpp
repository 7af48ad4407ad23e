#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>

#include "tests/support/designs.hpp"
#include "tests/support/filer.hpp"
#include "tests/support/mean_value_analysis.hpp"

/// Inference that keeps keys and values, and searches of an index: docs/models/inference.md.
namespace inference_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

// Two hosts of 8 GPUs, one replica each, on an NFS filer of one 5 GB/s controller: a request that
// waits takes 10 us there and back and 250 us of service; nothing else limits.
constexpr double kTurn = 260e-6, kRate = 5e9, kToken = 327680.0;

Design serving(const char* kind, Settings settings, const char* duration = "2000 s") {
  Design design = small_design();
  design.hosts.push_back(component(Role::host, "host", "other", {{"count", "2"}}));
  design.storage[0] = filer_of_one_head(
      {{"client.connection", "10 GB/s"}, {"client.stream", "10 GB/s"}, {"client.nconnect", "16"}});
  set(design.run, Role::run, "duration", duration);
  Component tenant = component(Role::tenant, kind, "t", settings);
  set(tenant, Role::tenant, "on", "scratch");
  set(tenant, Role::tenant, "hosts", "other");
  design.tenants.push_back(std::move(tenant));
  return design;
}

// Seldom enough that requests do not meet: 0.05 a second of 16 ms to some seconds.
RunResult chat(const char* gpu, const char* memory, const char* storage, const char* more = "1",
               const char* offload = "false", const char* context = "8000",
               std::pair<const char*, const char*> other = {"share", "1"}) {
  return run(serving("kv_cache", {other,
                                  {"rate", "0.02 ops/s"},
                                  {"context", context},
                                  {"context_spread", "0"},
                                  {"prompt", "500"},
                                  {"answer", "100"},
                                  {"prefill", "10 kops/s"},
                                  {"decode", "20 ms"},
                                  {"memory_rate", "40 GB/s"},
                                  {"block", "1000"},
                                  {"parallel", more},
                                  {"hit.gpu", gpu},
                                  {"hit.memory", memory},
                                  {"hit.storage", storage},
                                  {"offload", offload},
                                  {"disaggregated", "true"}}));
}

double of(const RunResult& result, const std::string& figure) {
  return metric(result, "tenant.t." + figure);
}

}  // namespace

TEST_CASE("the first token comes after the prompt, and after what is not kept") {
  CHECK(of(chat("100 %", "0 %", "0 %"), "ttft.p50") == Approx(0.05));
  CHECK(of(chat("0 %", "0 %", "0 %"), "ttft.p50") == Approx(0.85));
  CHECK(of(chat("0 %", "100 %", "0 %"), "ttft.p50") == Approx(0.05 + 8000 * kToken / 40e9));
}

TEST_CASE("what is on the storage is read block by block") {
  // 8 blocks of 1,000 tokens, one after the other, and four at a time
  const double bytes = 8000 * kToken / kRate;
  CHECK(of(chat("0 %", "0 %", "100 %", "1"), "load.p50") ==
        Approx(bytes + 8 * kTurn).epsilon(0.01));
  CHECK(of(chat("0 %", "0 %", "100 %", "4"), "load.p50") ==
        Approx(bytes + 2 * kTurn).epsilon(0.01));
  CHECK(of(chat("0 %", "0 %", "100 %", "4"), "ttft.p50") ==
        Approx(bytes + 2 * kTurn + 0.05).epsilon(0.01));
}

TEST_CASE("the last row has the blocks that are left") {
  for (const char* context : {"8000", "7500"})
    for (const auto& [at_once, rows] :
         {std::pair{"3", 3}, {"5", 2}, {"7", 2}, {"8", 1}, {"19", 1}}) {
      CAPTURE(context, at_once);
      const RunResult result = chat("0 %", "0 %", "100 %", at_once, "false", context);
      const double bytes = std::stod(context) * kToken;
      CHECK(of(result, "operations") == Approx(8 * of(result, "read") / bytes));
      CHECK(of(result, "load.p50") == Approx(bytes / kRate + rows * kTurn).epsilon(1e-3));
    }
  // 600 new tokens are one block.
  const RunResult written = chat("100 %", "0 %", "0 %", "2", "true");
  CHECK(of(written, "operations") == Approx(of(written, "tokens") / 100.0).epsilon(0.03));
}

TEST_CASE("blocks are read while the bucket of a limit fills") {
  // 8 blocks of 66 ms. Where it runs empty the last waits for (8 - bucket) / rate, else for those
  // before it.
  const auto load = [](const char* parallel, const char* key, const char* limit) {
    return of(chat("0 %", "0 %", "100 %", parallel, "false", "8000", {key, limit}), "load.p50");
  };
  const double block = 1000 * kToken / kRate;
  CHECK(load("1", "limit_operations", "7 ops/s") == Approx(8 * (block + kTurn)).epsilon(1e-3));
  CHECK(load("1", "limit_operations", "4 ops/s") == Approx(1.0 + block + kTurn).epsilon(1e-3));
  CHECK(load("4", "limit_operations", "4 ops/s") == Approx(1.0 + 4 * block + kTurn).epsilon(1e-3));
  CHECK(load("1", "limit", "1 GB/s") == Approx(8000 * kToken / 1e9 - 1.0 + kTurn).epsilon(1e-3));
}

TEST_CASE("large reads and writes flow while the bucket of a limit fills") {
  // 20 GB at once, seldom: max((S - bucket) / limit, S / B), B 5 GB/s. Opens, turns and commits are
  // milliseconds.
  const auto weights = [](const char* limit) {
    return of(run(serving("inference", {{"rate", "1 ops/s"},
                                        {"hit", "100 %"},
                                        {"weights", "20 GB"},
                                        {"scale_every", "300 s"},
                                        {"limit", limit}})),
              "weights.load.p50");
  };
  CHECK(weights("1 GB/s") == Approx(19.0).epsilon(1e-3));
  CHECK(weights("4 GB/s") == Approx(4.0).epsilon(1e-3));
  CHECK(weights("6 GB/s") == Approx(4.0).epsilon(1e-3));
  const auto file = [](const char* limit) {
    return run(serving("ingest", {{"rate", "200 MB/s"}, {"file", "20 GB"}, {"limit", limit}}));
  };
  CHECK(of(file("1 GB/s"), "latency.p50") == Approx(19.0).epsilon(1e-3));
  CHECK(of(file("10 GB/s"), "latency.p50") == Approx(4.0).epsilon(1e-2));
  CHECK(file("1 GB/s").limited_by.at("tenant.t") == "tenant.t.limit");
}

TEST_CASE("what was new is written, and nothing else") {
  const RunResult kept = chat("100 %", "0 %", "0 %", "1", "true");
  CHECK(of(kept, "write") == Approx(of(kept, "tokens") / 100.0 * 600.0 * kToken).epsilon(0.03));
  CHECK(of(chat("100 %", "0 %", "0 %"), "write") == 0.0);
}

TEST_CASE("GPUs compute while prompts and answers are made, and starve while a cache is loaded") {
  const RunResult result = chat("0 %", "0 %", "100 %");
  const double each = of(result, "tokens") / 100.0 / 2.0;  // requests a second of one replica
  CHECK(of(result, "gpu.utilization") == Approx(each * (0.05 + 100 * 0.02)).epsilon(0.03));
  CHECK(of(result, "gpu.starved") == Approx(each * of(result, "load")).epsilon(0.05));
  CHECK(of(result, "itl.p50") == Approx(0.02));
}

TEST_CASE("answers slow down by the share of the time that prompts take") {
  // 4 requests a second on two replicas, 0.2 s of prompt each: 40 % of the time
  const RunResult result = run(serving("kv_cache",
                                       {{"rate", "4 ops/s"},
                                        {"context", "0"},
                                        {"prompt", "2000"},
                                        {"answer", "100"},
                                        {"prefill", "10 kops/s"},
                                        {"decode", "10 ms"},
                                        {"batch", "1000"},
                                        {"offload", "false"}},
                                       "4000 s"));
  CHECK(of(result, "itl.p50") == Approx(0.01 / 0.6).epsilon(0.03));
  // M/D/1: service and rho / (2 (1 - rho)) of it, requests in turn on two replicas (Erlang
  // arrivals)
  CHECK(of(result, "ttft") > 0.2);
  CHECK(of(result, "ttft") < 0.2 * (1.0 + 0.4 / (2.0 * 0.6)));
}

TEST_CASE("a search of a graph takes its hops one after the other") {
  // 2 hosts of 4 threads, 3 nodes of 4 KiB in each of 10 hops: some read while others compute
  const RunResult result = run(serving(
      "vector_database",
      {{"clients", "4"}, {"hops", "10"}, {"beam", "3"}, {"cached", "0 %"}, {"compute", "2 ms"}},
      "20 s"));
  const double queries = mean_value_analysis(8, 10 * kTurn + 2e-3, {{10 * 3 * 4096 / kRate}});
  CHECK(of(result, "query") == Approx(8.0 / queries).epsilon(0.01));
  CHECK(of(result, "queries") == Approx(queries).epsilon(0.01));
}

TEST_CASE("lists are read at once, and what is in memory not at all") {
  const RunResult lists = run(serving("vector_database",
                                      {{"index", "lists"},
                                       {"clients", "1"},
                                       {"lists", "16"},
                                       {"list", "1 MiB"},
                                       {"cached", "50 %"},
                                       {"compute", "1 ms"}},
                                      "20 s"));
  const double queries = mean_value_analysis(2, kTurn + 1e-3, {{8 * 1048576 / kRate}});
  CHECK(of(lists, "query") == Approx(2.0 / queries).epsilon(0.02));
  const RunResult memory = run(serving(
      "vector_database", {{"clients", "1"}, {"cached", "100 %"}, {"compute", "1 ms"}}, "20 s"));
  CHECK(of(memory, "query.p50") == Approx(1e-3));
}

TEST_CASE("a hop of a search reads nothing where all that it asks for is in memory") {
  // Of 20 hops of one node each a tenth, of 20 of two nodes 1 - 0.9^2 are read: 0.19 x 260 us, and
  // compute. Queries of a client, and those that arrive.
  const std::pair<const char*, double> beams[] = {{"1", 0.1}, {"2", 0.19}};
  for (const auto& [beam, read] : beams)
    for (const char* rate : {"", "20 ops/s"}) {
      Design design = serving("vector_database",
                              {{"clients", "1"},
                               {"hops", "20"},
                               {"beam", beam},
                               {"cached", "90 %"},
                               {"compute", "1 ms"}},
                              "100 s");
      if (*rate != 0) set(design.tenants[0], Role::tenant, "rate", rate);
      const RunResult result = run(design);
      INFO(beam << " " << rate);
      CHECK(of(result, "query") == Approx(1e-3 + 20 * read * kTurn).epsilon(0.03));
    }
}

TEST_CASE("a tenant whose requests need nothing of the storage has done them") {
  CHECK(chat("100 %", "0 %", "0 %").warnings.empty());
  CHECK(run(serving("vector_database", {{"cached", "100 %"}}, "100 s")).warnings.empty());
}

TEST_CASE("queries that arrive load the storage whether or not they are simulated one by one") {
  const auto at = [](const char* sampled) {
    return run(serving("vector_database",
                       {{"rate", "500 ops/s"},
                        {"hops", "10"},
                        {"beam", "4"},
                        {"cached", "0 %"},
                        {"sampled", sampled}},
                       "50 s"));
  };
  const RunResult all = at("500 ops/s"), some = at("20 ops/s");
  CHECK(of(all, "queries") == Approx(500.0).epsilon(0.03));
  CHECK(of(some, "queries") == Approx(500.0).epsilon(0.03));
  CHECK(of(some, "read") == Approx(of(all, "read")).epsilon(0.05));
}

TEST_CASE("queries that arrive wait for cores, and no more are answered than cores compute") {
  // Two hosts of two cores, 10 ms each: 400 a second at most. Nothing is read.
  const auto at = [](const char* rate) {
    Design design = serving("vector_database",
                            {{"rate", rate},
                             {"hops", "1"},
                             {"beam", "1"},
                             {"cached", "100 %"},
                             {"compute", "10 ms"},
                             {"sampled", "100 kops/s"}},
                            "100 s");
    set(design.hosts.back(), Role::host, "cpu.cores", "2");
    return run(design);
  };
  CHECK(of(at("20 ops/s"), "query") == Approx(10e-3).epsilon(0.01));
  // M / D / 4 at 90 %: of M / M / 4 (Erlang's C of 0.788 and 1 / (4 - 3.6) services) half.
  CHECK(of(at("360 ops/s"), "query") == Approx(10e-3 * (1.0 + 0.788 / 0.4 / 2.0)).epsilon(0.1));
  CHECK(of(at("360 ops/s"), "queries") == Approx(360.0).epsilon(0.02));
  const RunResult over = at("800 ops/s");
  CHECK(of(over, "queries") <= 400.0);
  CHECK(of(over, "queries") >= 380.0);
  CHECK(of(over, "query") > 1.0);
  CHECK(std::any_of(over.warnings.begin(), over.warnings.end(), [](const std::string& warning) {
    return warning.find("had no result") != std::string::npos;
  }));
}

TEST_CASE("rates of what stops are those until then, however long the run goes on") {
  // But for what is under way then.
  const auto check = [](const char* kind, Settings settings, const char* duration,
                        std::initializer_list<const char*> rates) {
    Design stops = serving(kind, settings, "400 s");
    set(stops.tenants[0], Role::tenant, "stop", duration);
    const RunResult some = run(stops), all = run(serving(kind, settings, duration));
    for (const char* rate : rates) {
      INFO(kind << " " << rate);
      CHECK(of(some, rate) == Approx(of(all, rate)).epsilon(0.02));
    }
  };
  check("vector_database", {{"clients", "16"}}, "20 s", {"queries", "read"});
  check("kv_cache", {{"rate", "2 ops/s"}, {"hit.storage", "50 %"}}, "100 s",
        {"tokens", "gpu.utilization", "gpu.starved"});
  check("tracking", {{"writers", "1"}, {"artifact", "5 GB"}, {"artifact_every", "40 s"}}, "50 s",
        {"write"});
  // Of 1,000 queries a second 20 are simulated one by one, whether or not any is read.
  for (const char* cached : {"0 %", "100 %"}) {
    const Settings arriving = {
        {"rate", "1 kops/s"}, {"hops", "2"}, {"beam", "1"}, {"cached", cached}};
    check("vector_database", arriving, "2.5 s", {"queries"});
    const RunResult some = run(serving("vector_database", arriving, "2.5 s"));
    CHECK(of(some, "queries") == Approx(1000.0).epsilon(0.02));
    CHECK(metric(some, "resource.host.other.cpu.throughput") == Approx(1.0).epsilon(0.02));
  }
}

TEST_CASE("what waits for GPUs is not blamed on the storage") {
  const auto served = [](const char* prefill) {
    return run(serving("kv_cache",
                       {{"rate", "8 ops/s"},
                        {"context", "8000"},
                        {"context_spread", "0"},
                        {"prefill", prefill},
                        {"hit.gpu", "50 %"},
                        {"hit.memory", "0 %"},
                        {"hit.storage", "5 %"},
                        {"offload", "false"}},
                       "120 s"));
  };
  const RunResult slow = served("2 kops/s"), quick = served("4 kops/s");
  CHECK(slow.limited_by.at("tenant.t") == "tenant.t.replicas");
  const auto tells = [](const std::string& warning) {
    return warning.find("had no first token") != std::string::npos;
  };
  CHECK(std::any_of(slow.warnings.begin(), slow.warnings.end(), tells));
  // Both are asked for too much; of those answered alone the mean would rise.
  CHECK(of(quick, "ttft") < of(slow, "ttft"));
}

}  // namespace inference_test
