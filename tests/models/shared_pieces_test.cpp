#include <algorithm>

#include <catch2/catch.hpp>

#include "engine/sim/fluid_context.hpp"
#include "models/contract/rows.hpp"
#include "models/contract/storage.hpp"
#include "models/plant/plant.hpp"
#include "models/storage/pooled_store.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/serve.hpp"

/// One file that all write in pieces, against the closed forms of docs/models/storage.md, eq. 10.
namespace shared_pieces_test {

using namespace stallcast;
using namespace stallcast::literals;
using namespace stallcast::testing;
using models::Directories;
using models::FileSharing;

namespace {

constexpr double kWriters = 64.0;
const Bytes kPiece = Bytes::from(47008, unit::B);

using Settings = std::vector<std::pair<const char*, const char*>>;

// 64 processes write and read 1 GB each of one file.
Timed in_pieces(const Design& design) {
  return serve(
      design,
      {.bytes = 1_GB, .sharing = FileSharing::interleaved, .piece = kPiece, .readers = kWriters},
      {.bytes = 1_GB, .writers = kWriters, .sharing = FileSharing::interleaved, .piece = kPiece},
      kWriters);
}

// All of the file at `targets` that hold a piece for `hold` besides its data.
double of_targets(double targets, Rate target, Seconds hold) {
  return (1_GB * kWriters / (targets * (kPiece / (hold + kPiece / target)))).in(unit::s);
}

// A process that waits `turn` for each of its pieces besides its data.
double of_processes(Rate target, Seconds turn) {
  return (1_GB / (kPiece / (turn + kPiece / target))).in(unit::s);
}

}  // namespace

TEST_CASE("pieces hold the targets of a file: BeeGFS, WEKA, DAOS") {
  // 8 servers of 2 GB/s: 47,008 bytes are 23.5 us, and 200 us or 30 us are lost with each
  const auto check = [](const char* kind, Settings settings, double stored = 1.0) {
    INFO(kind);
    settings.insert(settings.end(), {{"shared.write", "200 us"}, {"shared.read", "30 us"}});
    const Timed t = in_pieces(design_with_storage(kind, settings));
    CHECK(t.write.in(unit::s) == Approx(of_targets(8, 2_GBps / stored, 200_us)).epsilon(0.01));
    CHECK(t.read.in(unit::s) == Approx(of_targets(8, 2_GBps, 30_us)).epsilon(0.01));
  };
  check("beegfs", {{"target.count", "8"},
                   {"target.read", "2 GB/s"},
                   {"target.write", "2 GB/s"},
                   {"stripe.count", "0"},
                   {"client.connections", "1000"}});
  check("weka",
        {{"backend.count", "8"},
         {"backend.read", "2 GB/s"},
         {"backend.write", "2 GB/s"},
         {"client.core", "100 GB/s"}},
        8.0 / 6.0);  // 6+2
  check("daos", {{"server.count", "8"},
                 {"server.read", "2 GB/s"},
                 {"server.write", "2 GB/s"},
                 {"object.parity", "0"},
                 {"client.interface", "libdfs"}});
}

TEST_CASE("writers of one GPFS file wait for its token manager, readers for all servers") {
  const Timed t = in_pieces(design_with_storage("gpfs", {{"server.count", "8"},
                                                         {"server.read", "2 GB/s"},
                                                         {"server.write", "2 GB/s"},
                                                         {"client.prefetch", "100 GB/s"},
                                                         {"shared.write", "35 us"},
                                                         {"shared.read", "30 us"}}));
  CHECK(t.write.in(unit::s) == Approx(of_targets(1, 16_GBps, 35_us)).epsilon(0.01));
  CHECK(t.read.in(unit::s) == Approx(of_targets(8, 2_GBps, 30_us)).epsilon(0.01));
}

TEST_CASE("what a system delivers scales its drives, ceilings and ports together") {
  // 8 x 2 GB/s at 40 %, and 8 ports of 1 GB/s at 40 %
  const auto timed = [](const char* kind, Settings settings) {
    settings.push_back({"delivered", "40 %"});
    return serve(design_with_storage(kind, settings), {.bytes = 1_GB},
                 {.bytes = 1_GB, .writers = kWriters}, kWriters);
  };
  const Settings drives = {{"server.count", "8"},
                           {"server.read", "2 GB/s"},
                           {"server.write", "2 GB/s"},
                           {"client.prefetch", "100 GB/s"}};
  Settings ports = drives;
  ports.push_back({"server.nic", "8 Gb/s"});
  CHECK(timed("gpfs", drives).read.in(unit::s) == Approx(64 / 6.4).epsilon(0.02));
  CHECK(timed("gpfs", drives).write.in(unit::s) == Approx(64 / 6.4).epsilon(0.02));
  CHECK(timed("gpfs", ports).read.in(unit::s) == Approx(64 / 3.2).epsilon(0.02));
  const Settings osts = {{"ost.count", "8"},
                         {"ost.read", "2 GB/s"},
                         {"ost.write", "2 GB/s"},
                         {"read", "10 GB/s"},
                         {"stripe.count", "0"}};
  CHECK(timed("lustre", osts).read.in(unit::s) == Approx(64 / 4.0).epsilon(0.02));
  CHECK(timed("lustre", osts).write.in(unit::s) == Approx(64 / 6.4).epsilon(0.02));
}

TEST_CASE("pieces are held by their file where that takes longer than their data") {
  // 23.5 us of data at 2 GB/s
  const models::SharedPieces long_held{8, 2_GBps, 30_us, 0_us}, held{8, 2_GBps, 20_us, 0_us};
  CHECK(long_held.held(kPiece));
  CHECK_FALSE(held.held(kPiece));
  CHECK_FALSE(models::SharedPieces{8, 2_GBps, 30_us, 0_us, true}.held(kPiece));
}

TEST_CASE("a BeeGFS file on few targets has only theirs") {
  const Timed t = in_pieces(design_with_storage("beegfs", {{"target.count", "8"},
                                                           {"target.write", "2 GB/s"},
                                                           {"stripe.count", "2"},
                                                           {"shared.write", "200 us"}}));
  CHECK(t.write.in(unit::s) == Approx(of_targets(2, 2_GBps, 200_us)).epsilon(0.01));
}

TEST_CASE("one file of all writers has the targets it lies on, and so have its readers") {
  // 64 processes with 1 GB each
  const auto check = [](const char* kind, Settings settings, double write, double read) {
    const Timed t =
        serve(design_with_storage(kind, settings),
              {.bytes = 1_GB, .sharing = FileSharing::aligned, .readers = kWriters, .saved = 1.0},
              {.bytes = 1_GB, .writers = kWriters, .sharing = FileSharing::aligned}, kWriters);
    INFO(kind << " on " << settings.back().second);
    CHECK(t.write.in(unit::s) == Approx(64.0 / write).epsilon(0.01));
    CHECK(t.read.in(unit::s) == Approx(64.0 / read).epsilon(0.01));
  };
  for (const auto& [count, targets] :
       {std::pair("1", 1.0), std::pair("4", 4.0), std::pair("0", 8.0)}) {
    for (const char* placement : {"random", "round-robin"})
      check("beegfs",
            {{"target.count", "8"},
             {"target.read", "3 GB/s"},
             {"target.write", "2 GB/s"},
             {"client.connections", "1000"},
             {"placement", placement},
             {"stripe.count", count}},
            2.0 * targets, 3.0 * targets);
    check("lustre",
          {{"ost.count", "8"},
           {"ost.read", "3 GB/s"},
           {"ost.write", "2 GB/s"},
           {"stripe.count", count}},
          2.0 * targets, 3.0 * targets);
    // two copies: each target of a chain gets all that is written, either gives what is read
    check("chunkstore",
          {{"node.count", "8"},
           {"node.targets", "1"},
           {"node.read", "3 GB/s"},
           {"node.write", "2 GB/s"},
           {"replicas", "2"},
           {"stripe.count", count}},
          std::min(2.0 * targets, 8.0), std::min(6.0 * targets, 24.0));
  }
}

TEST_CASE("a CephFS process waits for each piece") {
  // 10 us to the OSD and 1 ms, or 0.7 ms; 64 OSDs are not the limit
  const Timed t = in_pieces(design_with_storage("cephfs", {{"osd.count", "64"},
                                                           {"osd.read", "1 GB/s"},
                                                           {"osd.write", "1 GB/s"},
                                                           {"replicas", "1"},
                                                           {"shared.write", "1 ms"},
                                                           {"shared.read", "0.7 ms"}}));
  CHECK(t.write.in(unit::s) == Approx(of_processes(1_GBps, 1010_us)).epsilon(0.01));
  CHECK(t.read.in(unit::s) == Approx(of_processes(1_GBps, 710_us)).epsilon(0.01));
}

TEST_CASE("an NFS file is one line, however many controllers there are") {
  for (const char* heads : {"4", "8"}) {
    Settings settings = {{"head.count", heads},
                         {"head.write", heads[0] == '4' ? "2 GB/s" : "1 GB/s"},
                         {"client.nconnect", "16"},
                         {"client.connection", "10 GB/s"},
                         {"shared.write", "60 us"}};
    const Timed t = in_pieces(design_with_storage("nfs", settings));
    CHECK(t.write.in(unit::s) == Approx(of_targets(1, 8_GBps, 60_us)).epsilon(0.01));
  }
}

TEST_CASE("a Lustre file that was written in pieces is read in pieces") {
  const Timed t = in_pieces(design_with_storage("lustre", {{"ost.count", "8"},
                                                           {"ost.read", "2 GB/s"},
                                                           {"stripe.count", "0"},
                                                           {"client.stream", "100 GB/s"},
                                                           {"shared.read", "100 us"}}));
  CHECK(t.read.in(unit::s) == Approx(of_targets(8, 2_GBps, 100_us)).epsilon(0.01));
}

TEST_CASE("pieces are refused where none are modelled, never free") {
  for (const models::StorageRow& row : models::storage_rows()) {
    INFO(row.info.id);
    const bool costs = std::any_of(row.info.fields.begin(), row.info.fields.end(),
                                   [](const base::FieldInfo& f) { return f.key == "shared.read"; });
    CHECK(costs == row.refuses_pieces.empty());
  }
}

TEST_CASE("creates and opens of one directory pass it in turn, of own directories all servers") {
  // 1000 processes, 1 file each: 5 and 20 kops/s in one directory, 8 x 50 kops/s in all
  const Design design = design_with_storage("beegfs", {{"target.count", "8"},
                                                       {"mds.count", "8"},
                                                       {"mds.creates", "50 kops/s"},
                                                       {"mds.opens", "50 kops/s"},
                                                       {"mds.service", "20 us"},
                                                       {"directory.creates", "5 kops/s"},
                                                       {"directory.opens", "20 kops/s"},
                                                       {"commit", "0 ms"}});
  const auto timed = [&](Directories directories) {
    return serve(design, {.bytes = 1_B}, {.bytes = 1_B, .writers = 1000}, 1000.0, directories);
  };
  const Timed one = timed(Directories::one), own = timed(Directories::own);
  CHECK(one.write.in(unit::ms) == Approx(200.0).epsilon(0.03));
  CHECK(one.open.in(unit::ms) == Approx(50.0).epsilon(0.06));
  CHECK(own.write.in(unit::ms) == Approx(2.5).epsilon(0.03));
  CHECK(own.open.in(unit::ms) == Approx(2.5).epsilon(0.03));
  CHECK(timed(Directories::usual).open.in(unit::ms) == Approx(2.5).epsilon(0.03));
}

TEST_CASE("creates pass a directory while servers create those before") {
  // 1000 writers, 1 file each, no commit: n / slowest and one pass of the other station
  const auto saved = [](const char* directory, const char* server) {
    const Design design = design_with_storage("beegfs", {{"target.count", "8"},
                                                         {"mds.count", "1"},
                                                         {"mds.creates", server},
                                                         {"mds.opens", "100 kops/s"},
                                                         {"mds.service", "20 us"},
                                                         {"directory.creates", directory},
                                                         {"commit", "0 ms"}});
    return serve(design, {.bytes = 1_B}, {.bytes = 1_B, .writers = 1000}, 1000.0)
        .write.in(unit::ms);
  };
  CHECK(saved("5 kops/s", "6 kops/s") == Approx(200.0).epsilon(0.01));
  CHECK(saved("6 kops/s", "5 kops/s") == Approx(200.0).epsilon(0.01));
}

TEST_CASE("controllers look names up and create while a directory takes files") {
  // 1000 writers, one file each at 5 kops/s in one directory: 200 ms, after the first of their
  // lookups. Two requests at 20 kops/s and a create at 20 kops/s are 150 ms of the controller.
  const Design design = design_with_storage("nfs", {{"head.count", "1"},
                                                    {"head.ops", "20 kops/s"},
                                                    {"head.creates", "20 kops/s"},
                                                    {"head.service", "50 us"},
                                                    {"directory.creates", "5 kops/s"},
                                                    {"commit", "0 ms"}});
  // The first round of lookups of all is over after 50 ms.
  const Timed t = serve(design, {.bytes = 1_B}, {.bytes = 1_B, .writers = 1000}, 1000.0);
  CHECK(t.write.in(unit::ms) == Approx(50.0 + 200.0).epsilon(0.01));
}

TEST_CASE("a writer's files are committed while those of others are created") {
  // W writers of 100 files at an MDS of 10 kops/s, 1 ms of commit and two round trips of 10 us:
  // of W 100 creates, or of one writer's own files one after the other, whichever is longer.
  const auto saved = [](double writers) {
    const Design design = design_with_storage("lustre", {{"ost.count", "8"},
                                                         {"mdt.count", "1"},
                                                         {"mdt.create", "10 kops/s"},
                                                         {"mdt.service", "100 us"},
                                                         {"commit", "1 ms"}});
    return serve(design, {.bytes = 1_B}, {.bytes = 100_B, .files = 100.0, .writers = writers},
                 writers)
        .write.in(unit::ms);
  };
  const double own = 100.0 * (0.01 + 0.1 + 1.0 + 0.02);
  CHECK(saved(1.0) == Approx(own).epsilon(0.01));
  CHECK(saved(4.0) == Approx(own).epsilon(0.01));
  CHECK(saved(32.0) == Approx(320.0 + 1.02).epsilon(0.01));
}

TEST_CASE("a save of small files waits for its directory, and that is blamed") {
  // 32 ranks, 1000 files of 1 kB each in one directory at 5 kops/s: 6.4 s
  const auto check = [](Design design) {
    INFO(design.storage[0].kind);
    design.jobs[0].checkpoint = component(models::Role::checkpoint, "sync", "checkpoint",
                                          {{"to", "scratch"},
                                           {"every_steps", "100"},
                                           {"size", "32 MB"},
                                           {"files", "1000"},
                                           {"serializer", "none"},
                                           {"snapshot", "none"}});
    const RunResult result = run(design);
    CHECK(metric(result, "job.train.checkpoint.stall") == Approx(6.4).epsilon(0.02));
    const std::string directory = "storage.scratch.directory";
    CHECK(metric(result, "job.train.checkpoint.took." + directory) == Approx(6.4).epsilon(0.02));
    const auto use = std::ranges::find(result.resources, directory, &ResourceUse::name);
    REQUIRE(use != result.resources.end());
    CHECK(use->capacity == Approx(5000.0));
    CHECK(use->utilization() > 0.2);
  };
  check(design_with_storage("beegfs", {{"target.count", "8"},
                                       {"directory.creates", "5 kops/s"},
                                       {"mds.creates", "1 Mops/s"},
                                       {"mds.service", "1 us"},
                                       {"commit", "0 ms"}}));
  check(design_with_storage("nfs", {{"head.count", "1"},
                                    {"directory.creates", "5 kops/s"},
                                    {"head.ops", "1 Mops/s"},
                                    {"head.creates", "1 Mops/s"},
                                    {"head.service", "1 us"},
                                    {"commit", "0 ms"}}));
}

TEST_CASE("each job and each tenant creates in a directory of its own") {
  // 1000 files at 100 a second are 10 s, for each of two owners; in one directory 20 s
  const std::pair<const char*, const char*> kinds[] = {{"beegfs", "target.count"},
                                                       {"gpfs", "server.count"},
                                                       {"weka", "backend.count"},
                                                       {"nfs", "head.count"},
                                                       {"cephfs", "osd.count"}};
  for (const auto& [kind, count] : kinds) {
    INFO(kind);
    const Design design =
        design_with_storage(kind, {{count, "8"}, {"directory.creates", "100 ops/s"}});
    const auto seconds = [&](std::size_t second) {
      const auto context = sim::make_fluid_context();
      models::Plant plant(design);
      plant.attach(*context, 1);
      models::Client client = plant.client("gpu", 0, "scratch", 1.0);
      const auto write = [&](models::Client from, std::size_t owner) -> sim::Task<void> {
        from.owner = owner;
        co_await plant.storage("scratch").write(from, {.bytes = 1_kB, .files = 1000.0});
      };
      context->spawn(write(client, 1));
      context->spawn(write(client, second));
      context->run();
      return context->now().in(unit::s);
    };
    // Who waits for others commits meanwhile, up to 1 s.
    CHECK(seconds(1) - seconds(2) == Approx(10.0).epsilon(0.11));
  }
}

}  // namespace shared_pieces_test
