#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "models/bounds/space.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/stages.hpp"

namespace stages_test {

using namespace stallcast;
using namespace stallcast::testing;
using namespace stallcast::testing::staged;
using models::Role;

TEST_CASE("a copy takes its bytes over the slower of both systems") {
  // 5 TB at 5 GB/s; then behind a reader of 2 GB/s
  const RunResult result = run(pipeline({copy("in")}));
  CHECK(of_stage(result, "in.time") == Approx(1000.0).epsilon(kCoarse));
  CHECK(of_stage(result, "in.rate") == Approx(5e9).epsilon(kCoarse));
  CHECK(metric(result, "pipeline.time") == of_stage(result, "in.time"));
  Design slow = pipeline({copy("in")});
  set(slow.storage[0], Role::storage, "head.read", "2 GB/s");
  CHECK(of_stage(run(slow), "in.time") == Approx(2500.0).epsilon(kCoarse));
}

TEST_CASE("stages that wait until others are done take the sum") {
  // 1000 s + 1000 s: what the second reads is what the first brought
  const RunResult result =
      run(pipeline({copy("in"), copy("out", {{"from", "near"}, {"to", "far"}, {"after", "in"}})}));
  CHECK(of_stage(result, "out.start") == of_stage(result, "in.end"));
  CHECK(of_stage(result, "out.read") == Approx(5e12));
  CHECK(metric(result, "pipeline.time") == Approx(2000.0).epsilon(kCoarse));
}

TEST_CASE("stages that stream take the longest and what the first chunks need") {
  // The first wave is 2 hosts x 16 workers x 64 MiB = 2.1 GB: 0.9 s until it is written.
  const auto chain = [](const char* first, const char* second) {
    Component in = copy("in", {{"size", "5 TB"}, {"rate", first}});
    Component out = copy("out", {{"from", "near"}, {"to", "far"}, {"rate", second}});
    set(out, Role::stage, "after", "in");
    set(out, Role::stage, "when", "streaming");
    return run(pipeline({in, out}));
  };
  // The second is the slower one: 5 TB / 2 GB/s. The filer between them moves 3 + 2 of its 5 GB/s.
  const RunResult slow_end = chain("3 GB/s", "2 GB/s");
  CHECK(metric(slow_end, "pipeline.time") == Approx(2500.0).epsilon(kCoarse));
  CHECK(of_stage(slow_end, "out.start") < 5.0);
  CHECK(of_stage(slow_end, "in.time") == Approx(5e3 / 3.0).epsilon(kCoarse));
  CHECK(slow_end.limited_by.at("pipeline.limit") == "stage.out");
  CHECK(slow_end.limited_by.at("pipeline") == "stage.out.rate");
  // The first is: the other does not overtake it, and ends behind it
  const RunResult slow_begin = chain("2 GB/s", "3 GB/s");
  CHECK(metric(slow_begin, "pipeline.time") == Approx(2500.0).epsilon(kCoarse));
  CHECK(of_stage(slow_begin, "out.end") > of_stage(slow_begin, "in.end"));
  CHECK(of_stage(slow_begin, "out.end") < of_stage(slow_begin, "in.end") + 5.0);
  CHECK(of_stage(slow_begin, "out.waited") == Approx(2500.0 - 5e3 / 3.0).epsilon(0.05));
  CHECK(slow_begin.limited_by.at("pipeline.limit") == "stage.in");
}

TEST_CASE("two stages share a storage system by their weights") {
  // 5 TB and 5 TB from one 5 GB/s: 2000 s. With weights 3 : 1 the first has 3.75 GB/s until it
  // ends after 1333 s.
  const auto both = [](const char* share) {
    return run(pipeline({copy("a", {{"size", "5 TB"}, {"share", share}}),
                         copy("b", {{"size", "5 TB"}, {"to", "far"}})}));
  };
  const RunResult equal = both("1"), first = both("3");
  CHECK(of_stage(equal, "a.time") == Approx(2000.0).epsilon(kCoarse));
  CHECK(of_stage(equal, "b.time") == Approx(2000.0).epsilon(kCoarse));
  CHECK(of_stage(first, "a.time") == Approx(1333.3).epsilon(3.0 * kCoarse));
  CHECK(of_stage(first, "b.time") == Approx(2000.0).epsilon(2.0 * kCoarse));
}

TEST_CASE("a transformation is limited by its cores, and writes its ratio") {
  // 2 hosts x 16 workers x 50 MB/s = 1.6 GB/s
  Component clean =
      stage("transform", "clean", {{"to", "near"}, {"size", "1.6 TB"}, {"ratio", "0.5"}});
  const RunResult few = run(pipeline({clean}));
  CHECK(of_stage(few, "clean.time") == Approx(1000.0).epsilon(kCoarse));
  CHECK(of_stage(few, "clean.written") == Approx(0.8e12));
  CHECK(few.limited_by.at("stage.clean") == "host.mover.cpu");
  // 200 workers share 64 cores: 6.4 GB/s of cores, 5 GB/s of the lake
  set(clean, Role::stage, "workers", "200");
  set(clean, Role::stage, "cpu", "10 MB/s");
  CHECK(of_stage(run(pipeline({clean})), "clean.rate") == Approx(1.28e9).epsilon(2.0 * kCoarse));
}

TEST_CASE("workers that do not overlap read, compute and write in turn") {
  // One worker whose stream is 100 MB/s: 1 / (1/100 + 1/100) = 50 MB/s; 100 MB/s with both at once
  const auto one = [](const char* overlap) {
    Component in = copy("in", {{"size", "100 GB"}, {"overlap", overlap}, {"workers", "1"}});
    Design design = pipeline({in});
    set(design.hosts[1], Role::host, "count", "1");
    for (Component& storage : design.storage)
      set(storage, Role::storage, "client.stream", "100 MB/s");
    return of_stage(run(design), "in.time");
  };
  CHECK(one("true") == Approx(1000.0).epsilon(kCoarse));
  CHECK(one("false") == Approx(2000.0).epsilon(kCoarse));
  // Many keep a shared system busy all the same: while some read, others write.
  Component many = copy("in", {{"size", "5 TB"}, {"overlap", "false"}});
  CHECK(of_stage(run(pipeline({many})), "in.time") < 1.25 * 1000.0);
}

TEST_CASE("what does not limit a stage comes in no bursts") {
  // 1.6 GB/s of cores write 0.4 GB/s: 48 parts of 8 MiB a second, of the 100 the bucket takes.
  Component clean =
      stage("transform", "clean", {{"to", "bucket"}, {"size", "3.2 TB"}, {"ratio", "0.25"}});
  Design design = pipeline({clean});
  design.storage.push_back(
      component(Role::storage, "s3", "bucket", {{"server.count", "8"}, {"put.rate", "100 ops/s"}}));
  const RunResult result = run(design);
  CHECK(of_stage(result, "clean.time") == Approx(2000.0).epsilon(2.0 * kCoarse));
  CHECK(metric(result, "storage.bucket.throttled") < 0.05);
  CHECK(result.limited_by.at("stage.clean") == "host.mover.cpu");
}

TEST_CASE("what does not limit a stage is not asked for in bursts either") {
  // 1.6 GB/s of cores take 24 objects of 64 MiB a second, of the 50 the bucket gives.
  Component clean =
      stage("transform", "clean", {{"from", "bucket"}, {"to", "near"}, {"size", "3.2 TB"}});
  Design design = pipeline({clean});
  design.storage.push_back(
      component(Role::storage, "s3", "bucket", {{"server.count", "8"}, {"get.rate", "50 ops/s"}}));
  const RunResult result = run(design);
  CHECK(of_stage(result, "clean.time") == Approx(2000.0).epsilon(2.0 * kCoarse));
  CHECK(metric(result, "storage.bucket.throttled") < 0.05);
}

TEST_CASE("a stage that streams behind two waits for the later one") {
  // 1000 and 2000 s, whichever is named first
  for (const char* after : {"short,long", "long,short"}) {
    Component out = copy("out", {{"from", "near"}, {"to", "far"}, {"after", after}});
    set(out, Role::stage, "when", "streaming");
    const RunResult result =
        run(pipeline({copy("short", {{"size", "1 TB"}, {"rate", "1 GB/s"}}),
                      copy("long", {{"size", "2 TB"}, {"rate", "1 GB/s"}}), out}));
    CHECK(result.limited_by.at("stage.out.waited") == "stage.long.rate");
    CHECK(metric(result, "pipeline.time") == Approx(2000.0).epsilon(kCoarse));
  }
}

TEST_CASE("an archive costs its delay and every file") {
  // 60 s until the tape is there; 100 files of 1 GB by one worker, 8 s each before it is read for
  // 0.2 s at 5 GB/s
  const auto recall = [](const char* workers) {
    Design design = pipeline({copy("recall", {{"files", "100"},
                                              {"file", "1 GB"},
                                              {"delay", "60 s"},
                                              {"per_file", "8 s"},
                                              {"workers", workers}})});
    set(design.hosts[1], Role::host, "count", "1");
    return run(design);
  };
  const RunResult one = recall("1");
  CHECK(of_stage(one, "recall.read") == Approx(100e9));
  CHECK(of_stage(one, "recall.time") == Approx(60.0 + 100.0 * 8.2).epsilon(kCoarse));
  CHECK(one.limited_by.at("stage.recall") == "stage.recall.per_file");
  // Ten do it in a tenth: while one waits for the archive, another reads.
  CHECK(of_stage(recall("10"), "recall.time") == Approx(60.0 + 82.0).epsilon(0.05));
}

TEST_CASE("so many files of a size are as large as they have to be") {
  // 200 GB in 100 files are 2 GB each, whatever "file" says: 8 s of archive and 0.4 s each
  Design design = pipeline({copy("recall", {{"files", "100"},
                                            {"size", "200 GB"},
                                            {"file", "1 GB"},
                                            {"per_file", "8 s"},
                                            {"workers", "1"}})});
  set(design.hosts[1], Role::host, "count", "1");
  CHECK(of_stage(run(design), "recall.time") == Approx(100.0 * 8.4).epsilon(kCoarse));
}

TEST_CASE("a checksum pass reads and writes nothing") {
  const RunResult result = run(pipeline(
      {stage("verify", "check", {{"size", "5 TB"}}), stage("scan", "count", {{"size", "0 B"}})}));
  CHECK(of_stage(result, "check.time") == Approx(1000.0).epsilon(kCoarse));
  CHECK(of_stage(result, "check.written") == 0.0);
  // A stage of nothing takes no time.
  CHECK(of_stage(result, "count.time") == 0.0);
}

TEST_CASE("a stage of nothing waits for those before it, and starts no earlier than its date") {
  const RunResult result =
      run(pipeline({copy("in"), copy("none", {{"size", "0 B"}, {"after", "in"}}),
                    copy("late", {{"size", "5 GB"}, {"to", "far"}, {"start", "1 h"}})}));
  CHECK(of_stage(result, "none.start") == of_stage(result, "in.end"));
  CHECK(of_stage(result, "none.time") == 0.0);
  CHECK(of_stage(result, "late.start") == Approx(3600.0));
  CHECK(metric(result, "pipeline.time") == Approx(3601.0).margin(2.0));
}

TEST_CASE("a job waits for what is brought to where its data set lies") {
  const RunResult result = run(with_job({copy("in")}));
  CHECK(of_stage(result, "train.start") == of_stage(result, "in.end"));
  CHECK(metric(result, "pipeline.first_batch") > of_stage(result, "in.end"));
  CHECK(result.limited_by.at("pipeline.first_batch") == result.limited_by.at("stage.in"));
  CHECK(of_stage(result, "train.end") == metric(result, "pipeline.time"));
  // ... unless it says that it follows nothing, or what is brought lies elsewhere
  Design free = with_job({copy("in")});
  set(free.jobs[0].job, Role::job, "after", "");
  CHECK(metric(run(free), "job.train.gpu.utilization") > 0.0);
  CHECK(run(free).metrics.count("stage.train.start") == 0);
  const RunResult first = run(with_job({stage("train", "fit", {{"job", "train"}}), copy("in")}));
  CHECK(of_stage(first, "fit.start") == of_stage(first, "in.end"));  // whichever is named first
  const RunResult elsewhere = run(with_job({copy("in", {{"size", "5 TB"}, {"to", "far"}})}));
  CHECK(elsewhere.metrics.count("stage.train.start") == 0);
}

TEST_CASE("what stages bring has to fit") {
  // 5 TB brought to "near", 2 TB of it again to "far"; a job's data set of 3.2 GB that is brought
  // is a part of that
  const auto needed = [](Design design, std::size_t storage) {
    set(design.storage[storage], Role::storage, "capacity.size", "100 TB");
    const auto rooms = models::spaces(design);
    REQUIRE(rooms.size() == 1);
    return rooms[0].needed().in(unit::B);
  };
  const std::vector<Component> stages = {
      copy("in"), stage("transform", "half",
                        {{"from", "near"}, {"to", "far"}, {"ratio", "0.4"}, {"after", "in"}})};
  CHECK(needed(pipeline(stages), 1) == Approx(5e12));
  CHECK(needed(pipeline(stages), 2) == Approx(2e12));
  CHECK(needed(with_job(stages), 1) == Approx(5e12));
  // ... also where a stage lies between both
  const std::vector<Component> checked = {
      copy("in"), stage("verify", "check", {{"from", "near"}, {"after", "in"}}),
      stage("train", "fit", {{"job", "train"}, {"after", "check"}})};
  CHECK(needed(with_job(checked), 1) == Approx(5e12));
  // What is brought is made into the data set there: both lie there.
  const std::vector<Component> made = {
      copy("in"), stage("transform", "make",
                        {{"from", "near"}, {"to", "near"}, {"ratio", "0.00064"}, {"after", "in"}})};
  CHECK(needed(with_job(made), 1) == Approx(5e12 + 3.2e9));
  // What is brought of a larger data set is a part of it, and nobody else's.
  Design part = with_job({copy("in", {{"size", "1 GB"}}), copy("log", {{"size", "2 TB"}})});
  set(part.jobs[0].job, Role::job, "after", "in");
  CHECK(needed(part, 1) == Approx(3.2e9 + 2e12));
}

TEST_CASE("a stage that others hold up for a while is itself again when they are gone") {
  // 5 TB of 5 GB/s; for 60 s a tenant of a higher class takes all that the destination writes.
  const auto time = [](bool beside) {
    Design design = pipeline({copy("in", {{"size", "5 TB"}})});
    set(design.storage[1], Role::storage, "head.write", "15 GB/s");
    if (beside)
      design.tenants.push_back(component(Role::tenant, "fio", "burst",
                                         {{"on", "near"},
                                          {"hosts", "gpu"},
                                          {"rw", "write"},
                                          {"bs", "64 MiB"},
                                          {"numjobs", "64"},
                                          {"direct", "true"},
                                          {"priority", "high"},
                                          {"start", "100 s"},
                                          {"stop", "160 s"}}));
    return of_stage(run(design), "in.time");
  };
  const double more = time(true) - time(false);
  CHECK(more > 40.0);
  CHECK(more < 65.0);
}

TEST_CASE("while where a stage writes stands still it reads no more than a chunk ahead") {
  // 5 TB of 5 GB/s to a filer of 15 GB/s; 2 x 16 chunks of 64 MiB are 0.43 s, and what is under
  // way is up to 0.1 % of 1000 s
  const auto time = [](const char* at, const char* out) {
    Design design = pipeline({copy("in", {{"size", "5 TB"}})});
    set(design.storage[1], Role::storage, "head.write", "15 GB/s");
    if (*out != '\0')
      design.failures.push_back(component(Role::failure, "storage", "f",
                                          {{"on", at},
                                           {"part", "service"},
                                           {"at", "100 s"},
                                           {"failover", out},
                                           {"repair", "1 s"}}));
    return of_stage(run(design), "in.time");
  };
  const double whole = time("near", "");
  for (const char* at : {"near", "lake"}) {
    INFO(at);
    CHECK(time(at, "2 s") - whole == Approx(1.6).margin(1.0));
    CHECK(time(at, "20 s") - whole == Approx(19.6).margin(1.0));
    CHECK(time(at, "10 min") - whole == Approx(599.6).margin(1.0));
  }
}

}  // namespace stages_test
