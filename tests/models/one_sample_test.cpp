#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <tuple>

#include "tests/support/designs.hpp"

namespace one_sample_test {

/// Batches of one sample, which have no border within: docs/models/dataloader.md, "grain".
using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

TEST_CASE("workers whose batches are one sample do not read and decode in step") {
  // N readers of a host that fetch a sample in s, alone on its port, and decode it in c, never in
  // want of an index: a closed loop of min(port, N / (s + c)). In step it is N / (N s + c), two
  // thirds of that.
  constexpr double kSample = 64e6, kPort = 2.5e9 * 0.95, kFetch = kSample / kPort;
  const auto rate = [&](const char* workers, const char* decode, const char* fold,
                        const char* format) {
    Design design = small_design();
    for (const auto& [key, text] :
         Settings{{"count", "2"}, {"gpus", "4"}, {"cpu.cores", "256"}, {"nic.rate", "20 Gb/s"}})
      set(design.hosts[0], Role::host, key, text);
    for (const auto& [key, text] : Settings{{"ost.count", "64"},
                                            {"ost.read", "10 GB/s"},
                                            {"client.stream", "100 GB/s"},
                                            {"client.checksums", "false"}})
      set(design.storage[0], Role::storage, key, text);
    JobDesign& job = design.jobs[0];
    set(job.job, Role::job, "steps", "1000");
    set(job.step, Role::step, "compute", "1 us");
    set(job.step, Role::step, "jitter", "1 %");
    job.dataset = component(Role::dataset, format, "dataset",
                            {{"on", "scratch"},
                             {"sample", "64 MB"},
                             {"samples", "1000000"},
                             {"direct", "true"},
                             {"parse", "1000 GB/s"},
                             {"parse_fixed", "0 s"},
                             {"decode", decode}});
    job.loader =
        component(Role::loader, "pytorch", "loader",
                  {{"batch", "1"}, {"workers", workers}, {"start", "0 s"}, {"handover", "0 s"}});
    design.run.values.erase("duration");
    set(design.run, Role::run, "fold", fold);
    return metric(run(design), "job.train.throughput.bytes");
  };
  for (const auto& [workers, decode, format] : {std::tuple{"4", "0.1 s", "raw"},
                                                {"8", "0.2 s", "raw"},
                                                {"8", "0.2 s", "npz"},
                                                {"16", "0.43 s", "raw"}}) {
    INFO(workers << " workers, " << format);
    const double readers = 4.0 * std::stod(workers), c = std::stod(decode);
    const double most = 2.0 * std::min(kPort, readers * kSample / (kFetch + c));
    for (const char* fold : {"true", "false"})
      CHECK(rate(workers, decode, fold, format) == Approx(most).epsilon(0.03));
  }
}

TEST_CASE("a batch of one sample is handed over whole, and an epoch reads what it did") {
  // Workers keep up: each of eight ranks computes and copies 50 MB to its GPU. With one batch in
  // hand nothing ends sooner or later.
  Design design = small_design();
  for (const auto& [key, text] : Settings{
           {"gpus", "8"}, {"cpu.cores", "256"}, {"nic.rate", "400 Gb/s"}, {"gpu.copy", "1 GB/s"}})
    set(design.hosts[0], Role::host, key, text);
  for (const auto& [key, text] : Settings{{"ost.count", "64"}, {"client.stream", "100 GB/s"}})
    set(design.storage[0], Role::storage, key, text);
  JobDesign& job = design.jobs[0];
  set(job.job, Role::job, "epochs", "3");
  set(job.step, Role::step, "compute", "50 ms");
  set(job.step, Role::step, "jitter", "0.01 %");
  job.dataset =
      component(Role::dataset, "raw", "dataset",
                {{"on", "scratch"}, {"sample", "50 MB"}, {"samples", "808"}, {"decode", "150 ms"}});
  design.run.values.erase("duration");
  set(design.run, Role::run, "fold", "false");
  double whole = 0.0;
  for (const char* prefetch : {"1", "2"}) {
    INFO(prefetch << " batches ahead");
    job.loader = component(Role::loader, "pytorch", "loader",
                           {{"batch", "1"}, {"workers", "4"}, {"prefetch", prefetch}});
    const RunResult result = run(design);
    const double step = metric(result, "job.train.steady.step.time");
    if (whole > 0.0) CHECK(step == Approx(whole).epsilon(3e-3));
    whole = step;
    CHECK(metric(result, "job.train.throughput.bytes") ==
          Approx(50e6 * metric(result, "job.train.throughput.samples")).epsilon(1e-9));
  }
}

TEST_CASE("a batch that nobody waits for ends without an event") {
  // 32 ms to read and 40 ms to decode, of which a step of 300 ms waits for none. A batch that is
  // stacked goes through the program of its samples: it waits for the end of the last, then for the
  // stacking, which takes no time.
  const auto events = [](const char* steps, bool stacked) {
    Design design = one_reader("raw", {{"sample", "16 MB"}, {"decode", "40 ms"}}, "300 ms");
    if (stacked) set(*design.jobs[0].loader, Role::loader, "collate", "1000000 TB/s");
    set(design.hosts[0], Role::host, "cpu.cores", "1000");
    set(design.jobs[0].job, Role::job, "steps", steps);
    set(design.jobs[0].step, Role::step, "jitter", "1 %");  // so that no step is skipped
    design.run.values.erase("duration");
    return static_cast<double>(run(design).events);
  };
  const auto of_step = [&](bool stacked) {
    return (events("200", stacked) - events("100", stacked)) / 100.0;
  };
  CHECK(of_step(true) - of_step(false) == 2.0);
}

TEST_CASE("a rank that waits for its batch waits without a program") {
  // Four ranks, each of which trains for 10 ms on what takes 32 ms to read and 40 ms to decode.
  // Where saves could slow the compute each has a program of its own, which asks for its batch,
  // gets it and computes; and its worker ends each batch by an event.
  const auto result = [](const char* steps, bool slows) {
    Design design = one_reader("raw", {{"sample", "16 MB"}, {"decode", "40 ms"}}, "10 ms");
    set(design.hosts[0], Role::host, "gpus", "4");
    set(design.hosts[0], Role::host, "cpu.cores", "1000");
    set(design.run, Role::run, "fold", "false");
    set(design.jobs[0].job, Role::job, "steps", steps);
    set(design.jobs[0].step, Role::step, "jitter", "1 %");  // so that no step is skipped
    if (slows)
      design.jobs[0].checkpoint =
          component(Role::checkpoint, "async", "checkpoint",
                    {{"to", "scratch"}, {"every", "1000 h"}, {"flush", "thread"}});
    design.run.values.erase("duration");
    return run(design);
  };
  const auto of_step = [&](bool slows) {
    return static_cast<double>(result("200", slows).events - result("100", slows).events) / 100.0;
  };
  CHECK(of_step(true) >= of_step(false) + 4.0 * 3.0);
  const RunResult told = result("200", false), asked = result("200", true);
  for (const char* figure : {"step.time", "step.time.p99", "stall.data", "time.cpu", "time.data",
                             "gpu.utilization", "first_batch"}) {
    INFO(figure);
    const std::string name = std::string("job.train.") + figure;
    CHECK(metric(told, name) == Approx(metric(asked, name)).epsilon(1e-12));
  }
}

}  // namespace one_sample_test
