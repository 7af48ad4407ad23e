#include <catch2/catch.hpp>
#include <string>

#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

/// What cache servers open of the store behind them: docs/models/cache.md, eq. 8 and 13.
namespace cache_opens_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

TEST_CASE("cache: a file is opened behind once, however many ranges of it are read") {
  // One worker reads 40 samples, 10 in a file and each in 16 chunks: 4 files. Over a line of 100 ms
  // an open and the first byte of each range wait: 0.1 s x (4 + 640).
  const auto reading = [](Settings data, const char* rtt) {
    Design design = design_with_storage("cache", {{"over", "origin"},
                                                  {"server.count", "10"},
                                                  {"server.size", "100 GB"},
                                                  {"link.rate", "1 TB/s"},
                                                  {"link.rtt", rtt},
                                                  {"link.window", "1 TB"}});
    design.storage.push_back(
        component(Role::storage, "lustre", "origin", {{"ost.count", "4"}, {"ost.read", "1 GB/s"}}));
    for (const char* key : {"count", "gpus"}) set(design.hosts[0], Role::host, key, "1");
    JobDesign& job = design.jobs[0];
    set(job.job, Role::job, "epochs", "1");
    job.dataset = component(
        Role::dataset, "hdf5", "dataset",
        {{"on", "scratch"}, {"sample", "4 MB"}, {"samples", "40"}, {"samples_per_file", "10"}});
    for (const auto& [key, text] : data) set(*job.dataset, Role::dataset, key, text);
    job.loader = component(Role::loader, "pytorch", "loader", {{"batch", "4"}, {"workers", "1"}});
    design.run.values.erase("duration");
    return run(design);
  };
  const auto opened = [](const RunResult& result, const char* where) {
    return metric(result, std::string("resource.storage.") + where + ".throughput") *
           metric(result, "job.train.time.wall");
  };
  for (const char* chunk : {"4 MB", "250 kB"}) {
    const RunResult result = reading({{"chunk", chunk}}, "0 s");
    CHECK(opened(result, "scratch.metadata") == Approx(4.0));
    CHECK(opened(result, "origin.mdt") == Approx(4.0));
  }
  CHECK(opened(reading({{"reopen", "true"}}, "0 s"), "origin.mdt") == Approx(40.0));
  const auto took = [&](const char* rtt) {
    return metric(reading({{"chunk", "250 kB"}}, rtt), "job.train.time.wall");
  };
  CHECK(took("100 ms") - took("0 s") == Approx(64.4).epsilon(0.01));
}

}  // namespace cache_opens_test
