#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <random>

#include "models/contract/rows.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/replaying.hpp"

namespace replay_test {

using namespace stallcast;
using namespace stallcast::testing;
using models::Role;

namespace {

ReplayStep step(ReplayAction action, std::uint64_t offset, std::uint64_t bytes, double gap = 0.0) {
  return {.gap = gap, .file = 1, .offset = offset, .bytes = bytes, .action = action};
}

}  // namespace

TEST_CASE("a thread of reads takes N (z + l + s / r)") {
  const auto program = program_file({{0, random_reads(100, 1000000, 1e-3)}});
  // The process copies at 10 GB/s at most, which the controller is below.
  const double each = 1e-3 + kTurn + 1e6 / kRate;
  const RunResult result = run(replaying(program));
  CHECK(metric(result, "tenant.replay.makespan") == Approx(100 * each).epsilon(1e-9));
  CHECK(metric(result, "tenant.replay.reads.latency") == Approx(each - 1e-3).epsilon(1e-9));
  CHECK(metric(result, "tenant.replay.reads.latency.p99") == Approx(each - 1e-3).epsilon(1e-9));
  CHECK(metric(result, "tenant.replay.io") == Approx(100 * (each - 1e-3)).epsilon(1e-9));
  CHECK(metric(result, "tenant.replay.reads.count") == 100.0);
  CHECK(metric(result, "tenant.replay.read") == Approx(1e6 / each).epsilon(1e-9));
  CHECK(result.limited_by.at("tenant.replay") == "storage.scratch.head.ops");
}

TEST_CASE("threads share what limits them") {
  // Two reads of 1 GB at once, of two threads on one host or on two.
  const auto read = random_reads(1, 1000000000, 0.0);
  for (const std::uint64_t other : {0U, 1U}) {
    const auto program = program_file({{0, read}, {other, read}});
    CHECK(makespan(replaying(program)) == Approx(kTurn + 2e9 / kRate).epsilon(1e-6));
  }
}

TEST_CASE("hosts in blocks have ports of their own") {
  // 4 processes read 1 GB each over ports of 1 GB/s: 2 on each of 2 hosts, then all on one.
  std::vector<ThreadSteps> threads;
  for (std::uint64_t p = 0; p < 4; ++p) threads.push_back({p, random_reads(1, 1000000000, 0.0)});
  const auto on = [&](const char* per_host, const std::string& program, const char* hosts) {
    Design design = replaying(program, {}, hosts);
    if (*per_host != '\0') set(design.tenants[0], Role::tenant, "per_host", per_host);
    set(design.hosts[0], Role::host, "nic.rate", "8 Gb/s");
    set(design.hosts[0], Role::host, "nic.efficiency", "100 %");
    return makespan(design);
  };
  const auto program = program_file(threads);
  CHECK(on("", program, "2") == Approx(2.0 + kTurn).epsilon(1e-3));
  CHECK(on("", program, "100") == Approx(1.0 + kTurn).epsilon(1e-3));
  CHECK(on("4", program, "2") == Approx(4.0 + kTurn).epsilon(1e-3));
  CHECK(on("", program_file(threads, 1), "2") == Approx(4.0 + kTurn).epsilon(1e-3));
  // Traced on 2 machines, or on 4: theirs together, as far as there are hosts.
  CHECK(on("", program_file(threads, 2), "100") == Approx(2.0 + kTurn).epsilon(1e-3));
  CHECK(on("", program_file(threads, 4), "2") == Approx(2.0 + kTurn).epsilon(1e-3));
  CHECK(on("", program_file(threads, 4), "3") == Approx(2.0 + kTurn).epsilon(1e-3));
}

TEST_CASE("metadata waits for its servers") {
  // NFS opens with three requests.
  std::vector<ReplayStep> opens(10, step(ReplayAction::metadata, 0, 0, 1e-3));
  const auto program = program_file({{0, opens}});
  CHECK(makespan(replaying(program)) == Approx(10 * (1e-3 + 3 * kTurn)).epsilon(1e-9));
}

TEST_CASE("time passes without operations") {
  const auto program = program_file(
      {{0, {step(ReplayAction::none, 0, 0, 2.5)}},
       {1, {step(ReplayAction::none, 0, 0, 1.0), step(ReplayAction::none, 0, 0, 3.0)}}});
  CHECK(makespan(replaying(program)) == Approx(4.0).epsilon(1e-12));
}

TEST_CASE("what was read is in memory, until other data take its place") {
  const std::uint64_t size = 1000000000;
  const std::vector<ReplayStep> twice = {step(ReplayAction::read, 0, size),
                                         step(ReplayAction::read, 0, size)};
  const double first = kTurn + 1e9 / kRate, again = 1e9 / kCopy;
  const RunResult held = run(replaying(program_file({{0, twice}})));
  CHECK(metric(held, "tenant.replay.makespan") == Approx(first + again).epsilon(1e-9));
  CHECK(metric(held, "tenant.replay.cached") == 1e9);
  // 2 GB copied by one of the cores.
  CHECK(metric(held, "resource.host.gpu.cpu.throughput") ==
        Approx(2e9 / kCopy / (first + again)).epsilon(1e-9));
  CHECK(makespan(replaying(program_file({{0, twice}}), {{"direct", "true"}})) ==
        Approx(2 * first).epsilon(1e-9));
  // On another host it is not.
  const auto apart = program_file({{0, {twice[0]}}, {1, {step(ReplayAction::read, 0, size, 1.0)}}});
  CHECK(makespan(replaying(apart)) == Approx(1.0 + first).epsilon(1e-9));
  // 8 GB are reserved, a process takes 1 GB: 2 GB are left, and 3 GB pass before the second read.
  Design small = replaying(program_file(
      {{0,
        {step(ReplayAction::read, 0, size), step(ReplayAction::read, 3 * size, size),
         step(ReplayAction::read, 5 * size, size), step(ReplayAction::read, 0, size)}}}));
  set(small.hosts[0], Role::host, "memory.size", "11 GB");
  CHECK(makespan(small) == Approx(4 * first).epsilon(1e-9));
}

TEST_CASE("measured storage gets a call of O_DIRECT as one request") {
  // 1 MiB a call, whatever is read ahead: 1 ms and 1 MiB at 1 GB/s each.
  std::vector<ReplayStep> steps = random_reads(10, 1048576, 0.0);
  Design design = replaying(program_file({{0, steps}}), {{"direct", "true"}});
  design.storage[0] = component(Role::storage, "measured", "scratch",
                                {{"read.latency", "1 ms"}, {"read.rate", "1 GB/s"}});
  const double direct = 10 * (1e-3 + 1048576 / 1e9);
  CHECK(makespan(design) == Approx(direct).epsilon(0.01));
  set(design.storage[0], Role::storage, "request", "64 KiB");
  CHECK(makespan(design) == Approx(direct).epsilon(0.01));
  set(design.tenants[0], Role::tenant, "direct", "false");
  CHECK(makespan(design) > 3.0 * direct);
}

TEST_CASE("calls in sequence wait for one turn, with O_DIRECT for one each") {
  std::vector<ReplayStep> steps = random_reads(10, 1000000, 0.0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].offset = i * 1000000;
    steps[i].goes_on = i > 0;
  }
  const auto program = program_file({{0, steps}});
  CHECK(makespan(replaying(program)) == Approx(kTurn + 10e6 / kRate).epsilon(1e-9));
  CHECK(makespan(replaying(program, {{"direct", "true"}})) ==
        Approx(10 * (kTurn + 1e6 / kRate)).epsilon(1e-9));
  // Merged into one request they take as long, and as long per call.
  ReplayStep all = steps.front();
  all.bytes = 10000000;
  all.calls = 10;
  const auto merged = program_file({{0, {all}}});
  CHECK(makespan(replaying(merged)) == Approx(kTurn + 10e6 / kRate).epsilon(1e-9));
  CHECK(makespan(replaying(merged, {{"direct", "true"}})) ==
        Approx(10 * (kTurn + 1e6 / kRate)).epsilon(1e-9));
  CHECK(metric(run(replaying(merged)), "tenant.replay.reads.count") == 10.0);
}

TEST_CASE("writes go into memory, and a sync waits for them") {
  const auto write = step(ReplayAction::write, 0, 1000000000);
  const RunResult only = run(replaying(program_file({{0, {write}}})));
  CHECK(metric(only, "tenant.replay.makespan") == Approx(1e9 / kCopy).epsilon(1e-9));
  CHECK(metric(only, "tenant.replay.unwritten") == 1e9);
  // The data leave after they are copied; the file's own block follows with what its end costs: 3
  // requests one after the other, a commit, and two turns.
  const RunResult synced =
      run(replaying(program_file({{0, {write, step(ReplayAction::sync, 0, 0)}}})));
  const double data = 1e9 / kCopy + 1e9 / kRate;
  CHECK(metric(synced, "tenant.replay.makespan") > data);
  CHECK(metric(synced, "tenant.replay.makespan") < data + 3e-3);
  CHECK(metric(synced, "tenant.replay.unwritten") == 0.0);
  // With another file 0.1 s later on half the controller, they are written at 0.4 s and 0.5 s.
  ReplayStep other = write;
  other.file = 2;
  for (const auto& [gap, left] : {std::pair{0.15, 2e9}, {0.25, 1e9}, {0.35, 0.0}}) {
    const auto file = program_file({{0, {write, other, step(ReplayAction::none, 0, 0, gap)}}});
    CHECK(metric(run(replaying(file)), "tenant.replay.unwritten") == left);
  }
  // Memory of 2 GB takes a fifth in: of 10 x 1 GB all but the last wait for those before.
  std::vector<ReplayStep> many;
  for (std::uint64_t i = 0; i < 10; ++i)
    many.push_back(step(ReplayAction::write, i * 1000000000, 1000000000));
  Design full = replaying(program_file({{0, many}}));
  set(full.hosts[0], Role::host, "memory.size", "11 GB");
  CHECK(makespan(full) == Approx(9 * (1e9 / kRate + 1e9 / kCopy) + 1e9 / kCopy).epsilon(1e-6));
}

TEST_CASE("where a trace has no ends, starts are kept until the storage falls behind") {
  std::vector<ReplayStep> steps = random_reads(10, 1000000, 1e-3);
  for (std::size_t i = 1; i < steps.size(); ++i) steps[i].from_start = true;
  const double each = kTurn + 1e6 / kRate;
  CHECK(makespan(replaying(program_file({{0, steps}}))) == Approx(10e-3 + each).epsilon(1e-9));
  for (std::size_t i = 1; i < steps.size(); ++i) steps[i].gap = 1e-4;
  CHECK(makespan(replaying(program_file({{0, steps}}))) == Approx(1e-3 + 10 * each).epsilon(1e-9));
}

TEST_CASE("twice as fast a storage is never slower") {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<ThreadSteps> threads(1 + below(6));
    for (ThreadSteps& thread : threads) {
      thread.process = below(3);
      for (std::uint64_t i = 0, n = 1 + below(30); i < n; ++i) {
        ReplayStep one = step(static_cast<ReplayAction>(below(5)), below(100) << 20U,
                              1 + below(8U << 20U), 1e-3 * static_cast<double>(below(3)));
        one.file = below(3);
        thread.steps.push_back(one);
      }
    }
    for (const char* direct : {"false", "true"}) {
      Design slow = replaying(program_file(threads), {{"direct", direct}}), fast = slow;
      set(fast.storage[0], Role::storage, "head.read", "10 GB/s");
      set(fast.storage[0], Role::storage, "head.write", "10 GB/s");
      set(fast.storage[0], Role::storage, "head.service", "125 us");
      CHECK(makespan(fast) <= makespan(slow) * (1 + 1e-9));
    }
  }
}

namespace {

ReplayStep of_event(ReplayAction action, std::uint64_t event, double gap = 0.0) {
  ReplayStep out = step(action, 0, 0, gap);
  out.file = event;
  return out;
}

/// W workers that read `size` for each of their batches, of which Q are under way at most, and a
/// loop that computes over one after the other.
std::vector<ThreadSteps> training(std::uint64_t workers, std::uint64_t queue, std::uint64_t batches,
                                  std::uint64_t size, double compute) {
  std::vector<ThreadSteps> threads(1 + workers);
  threads[0].steps.push_back(step(ReplayAction::pass, 0, 0));
  for (std::uint64_t b = 0; b < batches; ++b) {
    auto& worker = threads[1 + b % workers].steps;
    if (b >= queue) worker.push_back(of_event(ReplayAction::await, 2 * (b - queue) + 2));
    worker.push_back(step(ReplayAction::read, b << 32U, size));
    worker.push_back(of_event(ReplayAction::post, 2 * b + 1));
    auto& loop = threads[0].steps;
    loop.push_back(step(ReplayAction::want, 0, 0));
    loop.push_back(of_event(ReplayAction::take, 2 * b + 1));
    loop.push_back(of_event(ReplayAction::post, 2 * b + 2));
    loop.push_back(step(ReplayAction::step, 0, 0, compute));
  }
  return threads;
}

}  // namespace

TEST_CASE("a step waits for its batch, and a worker for room in the queue") {
  // A read of 1 MB takes 460 us. Alone: c >= t / W from the second step on, else t / W.
  const double t = kTurn + 1e6 / kRate;
  const RunResult fast = run(replaying(program_file(training(1, 2, 50, 1000000, 1e-3))));
  CHECK(metric(fast, "tenant.replay.makespan") == Approx(t + 50 * 1e-3).epsilon(1e-6));
  CHECK(metric(fast, "tenant.replay.step.count") == 50.0);
  CHECK(metric(fast, "tenant.replay.step.p50") == Approx(1e-3).epsilon(1e-6));
  CHECK(metric(fast, "tenant.replay.wait.time") == Approx(t).epsilon(1e-6));
  const RunResult slow = run(replaying(program_file(training(1, 2, 50, 1000000, 1e-4))));
  CHECK(metric(slow, "tenant.replay.makespan") == Approx(50 * t + 1e-4).epsilon(1e-6));
  CHECK(metric(slow, "tenant.replay.wait.time") == Approx(50 * t - 49 * 1e-4).epsilon(1e-6));
  // Of 4 KB four workers disturb each other by less than a microsecond.
  const double small = kTurn + 4e3 / kRate;
  CHECK(makespan(replaying(program_file(training(4, 8, 200, 4000, 1e-5)))) ==
        Approx(50 * small).epsilon(0.02));
  // With one batch under way at a time the next is read while one is computed with.
  CHECK(makespan(replaying(program_file(training(4, 1, 20, 1000000, 1e-3)))) ==
        Approx(t + 20 * 1e-3).epsilon(1e-6));
}

TEST_CASE("a slower storage never makes a training loop shorter") {
  std::mt19937 random(11);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int trial = 0; trial < 30; ++trial) {
    const std::uint64_t workers = 1 + below(5);
    Design slow = replaying(
               program_file(training(workers, workers * (1 + below(3)), 1 + below(40),
                                     1 + below(8U << 20U), 1e-4 * static_cast<double>(below(20))))),
           fast = slow;
    set(fast.storage[0], Role::storage, "head.read", "10 GB/s");
    set(fast.storage[0], Role::storage, "head.service", "125 us");
    CHECK(makespan(fast) <= makespan(slow) * (1 + 1e-9));
  }
}

TEST_CASE("a program that waits for what never comes is refused, not hung") {
  const std::vector<ReplayStep> reads = random_reads(2, 1000, 0.0);
  std::vector<ReplayStep> waits = {of_event(ReplayAction::post, 2),
                                   of_event(ReplayAction::take, 1)};
  CHECK_THROWS_WITH(run(replaying(program_file({{0, reads}, {0, waits}}))),
                    Catch::Contains("waits for what never comes"));
  // Each for the other.
  const std::vector<ReplayStep> a = {of_event(ReplayAction::await, 2),
                                     of_event(ReplayAction::post, 1)},
                                b = {of_event(ReplayAction::await, 1),
                                     of_event(ReplayAction::post, 2)};
  CHECK_THROWS(run(replaying(program_file({{0, a}, {0, b}}))));
  CHECK_THROWS(run(replaying(program_file({{0, {of_event(ReplayAction::take, 7)}}}))));  // of none
  // What has come already is not waited for.
  const std::vector<ReplayStep> late = {step(ReplayAction::none, 0, 0, 1.0),
                                        of_event(ReplayAction::take, 1, 0.5)};
  CHECK(makespan(replaying(program_file({{0, {of_event(ReplayAction::post, 1)}}, {0, late}}))) ==
        Approx(1.5));
}

TEST_CASE("a tenant that stops leaves nobody waiting") {
  Design design = replaying(program_file(training(2, 2, 1000, 100000000, 1e-3)), {{"stop", "1 s"}});
  CHECK(run(design).simulated_s < 2.0);
}

TEST_CASE("the run ends with the replay, beside a job when both have ended") {
  const auto program = program_file({{0, random_reads(10, 1000000, 0.5)}});
  const RunResult alone = run(replaying(program));
  CHECK(alone.simulated_s == Approx(metric(alone, "tenant.replay.makespan")));
  Design beside = replaying(program);
  beside.jobs = small_design().jobs;
  set(beside.run, Role::run, "duration", "2 s");
  const RunResult both = run(beside);
  CHECK(metric(both, "tenant.replay.makespan") ==
        Approx(metric(alone, "tenant.replay.makespan")).epsilon(1e-6));
  CHECK(both.breakdown.contains("train"));
}

TEST_CASE("every kind of storage takes all that a trace does") {
  std::vector<ReplayStep> steps = {step(ReplayAction::metadata, 0, 0)};
  for (std::uint64_t i = 0; i < 5; ++i)
    for (const ReplayAction action : {ReplayAction::read, ReplayAction::write, ReplayAction::sync})
      steps.push_back(step(action, i << 24U, 1 + (i << 16U)));
  const auto program = program_file({{0, steps}, {1, steps}});
  for (const models::StorageRow& row : models::storage_rows()) {
    if (row.info.id == "cache" || row.info.id == "measured") continue;  // stand for others
    Settings few = {};
    Design design = replaying(program);
    design.storage[0] = component(Role::storage, std::string(row.info.id), "scratch", few);
    for (const base::FieldInfo* field : models::fields_of(row.info))
      if (field->required())
        set(design.storage[0], Role::storage, std::string(field->key).c_str(),
            field->dimension == Dimension::count  ? "8"
            : field->dimension == Dimension::rate ? "4 GB/s"
                                                  : "1 TB");
    for (const char* direct : {"false", "true"}) {
      INFO(row.info.id << " direct " << direct);
      set(design.tenants[0], Role::tenant, "direct", direct);
      const RunResult result = run(design);
      CHECK(metric(result, "tenant.replay.syncs.count") == 10.0);
      CHECK(metric(result, "tenant.replay.syncs.latency") > 0.0);
      CHECK(metric(result, "tenant.replay.makespan") > 0.0);
      CHECK(metric(result, "tenant.replay.makespan") < 100.0);
      CHECK(metric(result, "tenant.replay.unwritten") == 0.0);
    }
  }
}

TEST_CASE("a program that is none ends the simulation") {
  const auto program = program_file({{0, random_reads(10, 1000, 0.0)}});
  std::FILE* file = std::fopen(program.c_str(), "ab");
  std::fputc('x', file);
  std::fclose(file);
  CHECK_THROWS(run(replaying(program)));
  for (const double gap : {-1.0, 1e300, std::nan("")})
    CHECK_THROWS(run(replaying(program_file({{0, random_reads(3, 1000, gap)}}))));
  ReplayStep none = random_reads(1, 1000, 0.0).front();
  none.calls = 0;
  CHECK_THROWS(run(replaying(program_file({{0, {none}}}))));
}

TEST_CASE("a program that is not the one, or has files elsewhere, ends the simulation") {
  const auto reads = random_reads(3, 1000, 0.0);
  CHECK_THROWS_WITH(run(replaying(program_file({{0, reads}}), {{"sha256", "1"}})),
                    Catch::EndsWith("the program is not the one that was asked for"));
  CHECK_THROWS_WITH(run(replaying(program_file({{0, reads}}, 0, 2))),
                    Catch::EndsWith("its files lie on 2 storage systems: name the others in "
                                    "\"also\""));
  CHECK_THROWS_WITH(run(replaying("/nowhere")), "/nowhere: No such file or directory");
}

TEST_CASE("a program without steps ends at once") {
  const RunResult result = run(replaying(program_file({})));
  CHECK(metric(result, "tenant.replay.makespan") == 0.0);
  CHECK(result.warnings.empty());
}

}  // namespace replay_test
