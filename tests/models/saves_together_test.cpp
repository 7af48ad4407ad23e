#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/designs.hpp"

/// Saves of several jobs at one moment, against closed forms: docs/models/storage.md, eq. 6b.
namespace saves_together_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

constexpr std::uint64_t kSeed = 5;  // draws four of 12 files on one of 8 targets

/// A job on hosts of its own, of one GPU each: every rank saves 1 GB.
struct Saver {
  int ranks = 6;
  const char* step = "1 s";  ///< ten of them before its only save
  const char* flush_rate = nullptr;
  const char* shared = "no";
};

// 8 targets of 1 GB/s, each file on one; creates, commits and clients take next to no time.
Design saving(const std::vector<Saver>& savers, const std::string& kind = "lustre",
              const char* placement = "round-robin") {
  Design design = small_design();
  set(design.run, Role::run, "duration", "19 s");
  const Settings lustre = {
      {"ost.count", "8"},      {"ost.read", "1 GB/s"},         {"ost.write", "1 GB/s"},
      {"mdt.service", "1 ns"}, {"mdt.open", "1000000 Mops/s"}, {"mdt.create", "1000000 Mops/s"}};
  const Settings beegfs = {{"target.count", "8"},
                           {"target.read", "1 GB/s"},
                           {"target.write", "1 GB/s"},
                           {"stripe.size", "1 GB"},
                           {"mds.service", "1 ns"},
                           {"mds.opens", "1000000 Mops/s"},
                           {"mds.creates", "1000000 Mops/s"},
                           {"directory.creates", "1000000 Mops/s"},
                           {"directory.opens", "1000000 Mops/s"}};
  design.storage[0] = component(Role::storage, kind, "scratch", kind == "lustre" ? lustre : beegfs);
  for (const auto& [key, text] : Settings{{"stripe.count", "1"},
                                          {"client.stream", "100 GB/s"},
                                          {"commit", "0 s"},
                                          {"placement", placement}})
    set(design.storage[0], Role::storage, key, text);
  set(design.fabric, Role::fabric, "rtt", "0 s");
  design.hosts.clear();
  const JobDesign one = design.jobs[0];
  design.jobs.clear();
  for (std::size_t n = 0; n < savers.size(); ++n) {
    const Saver& saver = savers[n];
    const std::string id = "job" + std::to_string(n), hosts = "hosts" + std::to_string(n);
    const std::string size = std::to_string(saver.ranks) + " GB";
    design.hosts.push_back(
        component(Role::host, "host", hosts,
                  {{"count", std::to_string(saver.ranks).c_str()}, {"gpus", "1"}}));
    JobDesign job = one;
    job.job.id = id;
    set(job.job, Role::job, "hosts", hosts.c_str());
    set(job.step, Role::step, "compute", saver.step);
    job.checkpoint =
        component(Role::checkpoint, saver.flush_rate == nullptr ? "sync" : "async", "checkpoint",
                  {{"to", "scratch"},
                   {"every_steps", "10"},
                   {"size", size.c_str()},
                   {"serializer", "none"},
                   {"snapshot", "none"},
                   {"coordinate", "0 s"},
                   {"quiesce", "0 s"},
                   {"shared", saver.shared},
                   {"restore.read", "own"},
                   {"restore.deserialize", "1000 TB/s"},
                   {"direct", "true"}});
    if (saver.flush_rate != nullptr)
      set(*job.checkpoint, Role::checkpoint, "flush_rate", saver.flush_rate);
    design.jobs.push_back(job);
  }
  return design;
}

double took(const Design& design, std::size_t job, const char* what = "checkpoint") {
  return metric(run(design, kSeed), "job.job" + std::to_string(job) + "." + what + ".duration");
}

}  // namespace

TEST_CASE("files of several jobs that save together lie on targets as those of one job") {
  for (const char* kind : {"lustre", "beegfs"})
    for (const char* placement : {"round-robin", "random"}) {
      const double one = took(saving({{12}}, kind, placement), 0);
      // in turn, 12 files on 8 targets of which some have two; at random four
      CHECK(one == Approx(placement == std::string("random") ? 4.0 : 2.0).epsilon(1e-3));
      const std::vector<std::vector<Saver>> splits = {
          {{6}, {6}}, {{1}, {11}}, {{4}, {4}, {4}}, {{2}, {3}, {7}}, std::vector<Saver>(12, {1})};
      for (const std::vector<Saver>& split : splits) {
        const Design design = saving(split, kind, placement);
        for (std::size_t job = 0; job < split.size(); ++job) {
          INFO(kind << ", job " << job << " of " << split.size());
          CHECK(took(design, job) == Approx(one).epsilon(1e-3));
          CHECK(took(design, job, "restore") == Approx(one).epsilon(1e-3));
        }
      }
    }
}

TEST_CASE("a save that finds nobody is as fast beside a job that saves at other times") {
  for (const char* placement : {"random", "round-robin"}) {
    const double alone = took(saving({{11}}, "lustre", placement), 0);
    CHECK(took(saving({{11}, {5, "1.8 s"}}, "lustre", placement), 0) ==
          Approx(alone).epsilon(1e-9));
  }
}

TEST_CASE("files of one save meet those of another for as long as both are written") {
  // From 0.5 s on two jobs have 12 files on 8 targets, two on the fullest: of 1 GB half is left of
  // the first, which takes it twice as long; half of the second is left then, for which it has
  // targets of its own.
  const Design design = saving({{6}, {6, "1.05 s"}});
  CHECK(took(design, 0) == Approx(0.5 + 1.0).epsilon(1e-3));
  CHECK(took(design, 1) == Approx(1.0 + 0.5).epsilon(1e-3));
}

TEST_CASE("who writes slowly leaves the targets they share to others") {
  // Two files on each of 8 targets: one is written at 0.2 GB/s, the other at the 0.8 GB/s left.
  const Design design = saving({{8}, {8, "1 s", "1.6 GB/s"}});
  CHECK(took(design, 0) == Approx(1.0 / 0.8).epsilon(1e-3));
  CHECK(took(design, 1) == Approx(5.0).epsilon(1e-3));
}

TEST_CASE("one file of all ranks counts once among those of other jobs") {
  // Eight jobs with a file each on 8 targets, and nine.
  const Saver shared{2, "1 s", nullptr, "aligned"};
  for (const char* kind : {"lustre", "beegfs"}) {
    INFO(kind);
    CHECK(took(saving(std::vector<Saver>(8, shared), kind), 0) == Approx(2.0).epsilon(1e-3));
    CHECK(took(saving(std::vector<Saver>(9, shared), kind), 0) == Approx(4.0).epsilon(1e-3));
  }
}

TEST_CASE(
    "files in pieces hold the targets that those of other jobs lie on, but not their objects") {
  // A piece of 47,008 B is 47 us of a target, and holds it for 10 ms besides.
  const Saver pieces{4, "1 s", nullptr, "interleaved"};
  const auto save = [&](std::size_t jobs, const char* kind, const char* what) {
    Design design = saving(std::vector<Saver>(jobs, pieces), kind);
    Component& storage = design.storage[0];
    set(storage, Role::storage, "stripe.count", "0");
    if (kind == std::string("beegfs")) {
      set(storage, Role::storage, "shared.write", "10 ms");
      set(storage, Role::storage, "shared.read", "10 ms");
      set(storage, Role::storage, "target.service", "0 s");
    } else {
      set(storage, Role::storage, "lock", "10 ms");
    }
    set(design.run, Role::run, "duration", "5 min");
    for (JobDesign& job : design.jobs) {
      set(job.job, Role::job, "epochs", "1");
      set(job.job, Role::job, "steps", "10");
      set(*job.checkpoint, Role::checkpoint, "piece", "47008 B");
    }
    return took(design, jobs - 1, what);
  };
  const double one = 4e9 / (8.0 * 47008.0 / (10e-3 + 47008.0 / 1e9));
  for (const char* what : {"checkpoint", "restore"}) {
    INFO(what);
    CHECK(save(1, "beegfs", what) == Approx(one).epsilon(1e-3));
    CHECK(save(2, "beegfs", what) == Approx(2.0 * one).epsilon(1e-3));
  }
  CHECK(save(2, "lustre", "checkpoint") == Approx(one).epsilon(1e-3));
}

TEST_CASE("saves of one job that overlap lie on targets as those of two jobs") {
  // A save of 6 files is asked for 0.1 s after the one before has begun. One at a time takes 1 s;
  // of two 12 files are on 8 targets, two of them on the fullest, and take 2 s, so that one ends
  // each second again: 0.9 s are waited for a buffer.
  Design design = saving({{6, "10 ms", "1 TB/s"}});
  Component& save = *design.jobs[0].checkpoint;
  set(save, Role::checkpoint, "buffers", "2");
  save.values.erase("flush_rate");
  CHECK(metric(run(design, kSeed), "job.job0.checkpoint.duration") ==
        Approx(0.9 + 2.0).epsilon(0.05));
  set(save, Role::checkpoint, "buffers", "1");
  CHECK(metric(run(design, kSeed), "job.job0.checkpoint.duration") ==
        Approx(0.9 + 1.0).epsilon(0.05));
}

TEST_CASE("the order of jobs is no matter") {
  const std::vector<Saver> savers = {{3}, {6, "1.02 s"}, {7, "1.05 s", "2 GB/s"}};
  const Design design = saving(savers), other = saving({savers[2], savers[0], savers[1]});
  CHECK(took(design, 0) == Approx(took(other, 1)).epsilon(1e-9));
  CHECK(took(design, 1) == Approx(took(other, 2)).epsilon(1e-9));
  CHECK(took(design, 2) == Approx(took(other, 0)).epsilon(1e-9));
}

}  // namespace saves_together_test
