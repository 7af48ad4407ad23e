#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "calibration/observe/job_facts.hpp"
#include "calibration/observe/live/hook_totals.hpp"
#include "calibration/observe/live/host_facts.hpp"
#include "calibration/observe/live/merged_tally.hpp"
#include "calibration/observe/live/mount_table.hpp"
#include "calibration/observe/live/open_files.hpp"
#include "calibration/observe/live/side_file.hpp"

namespace stallcast::calibration::live {
namespace {

SideTally tally(SideKind kind, int loader, const std::vector<double>& values, double each = 1.0) {
  SideTally out;
  out.kind = kind;
  out.loader = loader;
  out.least = values.front();
  out.most = values.front();
  for (const double value : values) {
    out.kept.push_back({out.count, value, each});
    out.count += each;
    out.sum += each * value;
    out.least = std::min(out.least, value);
    out.most = std::max(out.most, value);
  }
  return out;
}

/// A side file with one slot, as stallcast_record.py writes it.
std::vector<double> side_cells() {
  std::vector<double> cells(64 + 1024 + 8 * 1544, 0.0);
  cells[0] = 20261123.0;
  cells[1] = 1.0;
  cells[2] = 4711.0;  // process
  cells[5] = 3.0;     // rank
  cells[6] = -1.0;    // world: not known
  cells[10] = 1.0;    // slots
  cells[11] = 12.0;   // samples
  cells[17] = 2.5;    // a save that no step has followed
  double* slot = cells.data() + 64 + 1024;
  slot[0] = 5.0;  // step
  slot[2] = 2.0;
  slot[3] = 0.5;
  slot[4] = 0.2;
  slot[5] = 0.3;
  slot[6] = 2.0;
  slot[8] = 0.0, slot[9] = 0.2, slot[10] = 1.0;
  slot[11] = 1.0, slot[12] = 0.3, slot[13] = 1.0;
  return cells;
}

std::optional<SideFile> read_back(const std::vector<double>& cells, std::size_t bytes) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("stallcast-live-test-" + std::to_string(getpid()) + ".side");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(cells.data()), static_cast<std::streamsize>(bytes));
  const auto side = read_side_file(path);
  std::filesystem::remove(path);
  return side;
}

}  // namespace

TEST_CASE("a side file gives what its process noted") {
  const std::vector<double> cells = side_cells();
  const auto side = read_back(cells, cells.size() * sizeof(double));
  REQUIRE(side);
  CHECK(side->pid == 4711);
  CHECK(side->rank == 3);
  CHECK_FALSE(side->world);
  CHECK(side->samples == 12.0);
  REQUIRE(side->tallies.size() == 2);
  CHECK(side->tallies[0].kind == SideKind::step);
  CHECK(side->tallies[0].kept.size() == 2);
  CHECK(side->tallies[1].kind == SideKind::save);
  CHECK(side->tallies[1].sum == 2.5);
}

TEST_CASE("a side file that is cut or written over is read in bounds, or refused") {
  const std::vector<double> good = side_cells();
  for (std::size_t bytes = 0; bytes < good.size() * sizeof(double); bytes += 4001) {
    const auto side = read_back(good, bytes);
    CHECK(side.has_value() == (bytes >= 8 * (64 + 1024)));
  }
  for (const double odd :
       {std::nan(""), std::numeric_limits<double>::infinity(), -1.0, 1e300, 1e18, 0.5})
    for (std::size_t cell = 0; cell < 64 + 1024 + 16; cell += cell == 63 ? 1025 : 1) {
      std::vector<double> cells = good;
      cells[cell] = odd;
      const auto side = read_back(cells, cells.size() * sizeof(double));
      if (!side) continue;
      HookTotals totals;
      totals.add(*side);
      Observation seen;
      totals.tell(seen);
      if (seen.steps && seen.steps->duration) CHECK(seen.steps->duration->mean.finite());
    }
}

TEST_CASE("merged values weigh as many as their process had") {
  MergedTally merged;
  // 2 values that stand for 900 of 1 s, and 100 of 3 s that are all there.
  merged.add(tally(SideKind::step, 0, {1.0, 1.0}, 450.0));
  merged.add(tally(SideKind::step, 0, std::vector<double>(100, 3.0)));
  const auto d = merged.distribution<Seconds>(unit::s);
  REQUIRE(d);
  CHECK(d->count == 1000);
  CHECK(d->mean.in(unit::s) == Approx(1.2));
  CHECK(d->quantiles.at(0.75).in(unit::s) == 1.0);
  CHECK(d->quantiles.at(0.95).in(unit::s) == 3.0);
  // 102 values are kept: nine in ten of those written down are of the first process.
  REQUIRE(d->sample.size() == 102);
  const auto ones = std::count(d->sample.begin(), d->sample.end(), Seconds::from(1.0, unit::s));
  CHECK(std::abs(static_cast<double>(ones) - 0.9 * 102) <= 2.0);
}

TEST_CASE("first batches of several ranks are told apart by epoch") {
  // Workers live on: 1 s in the first epoch of each rank, 50 ms in the two later ones.
  HookTotals totals;
  for (int rank = 0; rank < 2; ++rank) {
    SideFile side;
    side.pid = 4711 + rank;
    side.rank = rank;
    side.world = 2;
    side.steps_of[0] = 30.0;
    side.tallies = {tally(SideKind::first_batch, 0, {1.0, 0.05, 0.05}),
                    tally(SideKind::step, 0, std::vector<double>(30, 0.2)),
                    tally(SideKind::step_wait, 0, std::vector<double>(30, 0.01)),
                    tally(SideKind::step_compute, 0, std::vector<double>(30, 0.19))};
    totals.add(side);
  }
  Observation seen;
  totals.tell(seen);
  for (int rank = 0; rank < 2; ++rank) {
    ObservedProcess& row = seen.processes.emplace_back();
    row.rank = rank;
    row.steps = 30;
  }
  const JobFacts facts = facts_of(seen);
  REQUIRE(facts.first_of_run);
  CHECK(facts.first_of_run->mean == Approx(1.0));
  CHECK(facts.first_of_later->mean == Approx(0.05));
}

TEST_CASE("many processes are merged in bounded memory, and quantiles stay") {
  MergedTally merged;
  for (int process = 0; process < 1000; ++process) {
    std::vector<double> values;
    for (int i = 0; i < 500; ++i) values.push_back((process * 500 + i) % 1000);
    merged.add(tally(SideKind::wait, 0, values));
  }
  const auto d = merged.distribution<Seconds>(unit::s);
  REQUIRE(d);
  CHECK(d->count == 500'000);
  CHECK(d->sample.size() == kSample);
  CHECK(d->mean.in(unit::s) == Approx(499.5));
  for (const auto& [share, value] : d->quantiles)
    CHECK(value.in(unit::s) == Approx(1000.0 * share).margin(10.0));
}

TEST_CASE("the loader that steps are of is the one that is told") {
  SideFile side;
  side.pid = 1;
  side.facts = R"({"0": {"batch": 2, "workers": 0}, "1": {"batch": 8, "workers": 4}})";
  side.tallies = {tally(SideKind::first_batch, 0, {5.0}), tally(SideKind::first_batch, 1, {2.0}),
                  tally(SideKind::interval, 0, std::vector<double>(100, 0.1)),
                  tally(SideKind::step, 1, {0.5, 0.5, 0.5})};
  HookTotals totals;
  totals.add(side);
  Observation seen;
  totals.tell(seen);
  REQUIRE(seen.steps);
  CHECK(seen.steps->count == 3);
  CHECK(seen.steps->first_batch->mean.in(unit::s) == 2.0);
  CHECK(seen.loader->batch == 8);
  CHECK(seen.loader->kind == "pytorch-workers");
  CHECK(seen.ranks == 1);
}

TEST_CASE("a path lies in the deepest mount, the last where several are at one place") {
  const MountTable table(
      "1 0 8:1 / / rw - ext4 /dev/a rw\n"
      "2 1 0:5 / /data rw,noatime shared:1 - nfs server:/x "
      "rw,vers=4.2,rsize=1048576,addr=10.0.0.1\n"
      "3 1 0:6 / /data rw - lustre 10.0.0.2@tcp:/fs rw,flock,user_xattr\n"
      "4 1 0:7 / /with\\040blank rw - tmpfs tmpfs rw,size=64k,uid=1000\n"
      "broken line\n");
  REQUIRE(table.of("/data/x") != nullptr);
  CHECK(table.of("/data/x")->fs_type == "lustre");
  CHECK(table.of("/database")->fs_type == "ext4");
  CHECK(table.of("/with blank/x")->fs_type == "tmpfs");
  CHECK(table.of("/with blank/x")->options == "rw,size=64k");
}

TEST_CASE("options of a mount keep no addresses") {
  const MountTable table(
      "2 1 0:5 / /data rw,noatime - nfs h:/x rw,vers=4.2,addr=10.0.0.1,sec=sys\n");
  CHECK(table.of("/data/x")->options == "rw,noatime,vers=4.2");
}

TEST_CASE("data is what no system or language owns") {
  for (const char* path : {"/data/a.npz", "/scratch/tokens.bin", "/mnt/x/train.py.tar"})
    CHECK(is_data(path));
  for (const char* path :
       {"/proc/1/io", "/usr/lib/x.so", "/opt/l.so.6", "/scratch/train.py", "pipe:[1]",
        "/x/site-packages/a.json", "/tmp/gone (deleted)", "/dev/shm/torch_1"})
    CHECK_FALSE(is_data(path));
}

TEST_CASE("nothing fetched is no full cache where the file system does not count") {
  const auto seen = [](const char* fs_type, double fetched) {
    Observation out;
    out.mounts.emplace_back().fs_type = fs_type;
    out.reading.emplace().bytes = 1000_B;
    out.reading->from_device = 10_B;
    out.figures = {{"sample_fetched_bytes", fetched}, {"sample_page_cache_share", 1.0}};
    leave_out_uncounted(out);
    return out;
  };
  for (const char* fs_type : {"ext4", "nfs4", "tmpfs"}) {
    const Observation out = seen(fs_type, 0.0);
    CHECK(out.reading->from_device);
    CHECK(out.figures.count("sample_page_cache_share") == 1);
    CHECK(out.notes.empty());
  }
  for (const char* fs_type : {"fuse.sshfs", "lustre", "beegfs", "gpfs"}) {
    const Observation out = seen(fs_type, 0.0);
    CHECK_FALSE(out.reading->from_device);
    CHECK(out.figures.empty());
    REQUIRE(out.notes.size() == 1);
    CHECK(out.notes[0].find(fs_type) != std::string::npos);
    CHECK(seen(fs_type, 5.0).reading->from_device);  // it counts after all
  }
}

// 60 MB mapped and fetched beside 60 MB read by calls, all cached: fetched over read says nothing.
TEST_CASE("a share of the page cache is told where mapped files cannot have fetched much") {
  CHECK(page_cache_share(60_MB, 60_MB, 0_B) == 0.0);
  CHECK(page_cache_share(60_MB, 15_MB, 0_B) == 0.75);
  CHECK_FALSE(page_cache_share(60_MB, 60_MB, 60_MB));
  CHECK_FALSE(page_cache_share(60_MB, 61_MB, 0_B));
  CHECK_FALSE(page_cache_share(0_B, 0_B, 0_B));
  // Whatever of so little was mapped.
  CHECK(page_cache_share(60_MB, 60_MB, 3_MB) == 0.0);
  CHECK(*page_cache_share(60_MB, 3_MB, 60_MB) == Approx(0.95));
}

TEST_CASE("GPUs are those that nvidia-smi lists") {
  ObservedHost host;
  take_gpus("NVIDIA H100 80GB HBM3, 81559\nNVIDIA H100 80GB HBM3, 81559\n", host);
  CHECK(host.accelerators == 2);
  CHECK(host.accelerator == "NVIDIA H100 80GB HBM3");
  CHECK(host.accelerator_memory->in(unit::MiB) == 81559.0);
  ObservedHost shared;  // memory is the host's
  take_gpus("NVIDIA GH200 480GB, [N/A]\n", shared);
  CHECK(shared.accelerators == 1);
  CHECK(shared.accelerator == "NVIDIA GH200 480GB");
  CHECK_FALSE(shared.accelerator_memory);
  ObservedHost none;
  take_gpus("No devices were found\n", none);
  CHECK_FALSE(none.accelerators);
}

TEST_CASE("layouts of Lustre are counted by what they are") {
  const std::string plain =
      "lcm_layout_gen: 0\nlmm_stripe_count:  4\nlmm_stripe_size:   1048576\nlmm_objects:\n"
      "      - l_ost_idx: 2\n      - l_ost_idx: 5\n";
  const std::string composite =
      "lcm_layout_gen: 0\n  lcm_layout_gen:    2\n  component0:\n    lcme_id: 1\n"
      "    lcme_extent.e_start: 0\n    lcme_extent.e_end: 1048576\n    sub_layout:\n"
      "      lmm_stripe_count:  1\n      lmm_stripe_size:   1048576\n        - l_ost_idx: 2\n"
      "  component1:\n    lcme_id: 2\n    lcme_extent.e_start: 1048576\n"
      "    lcme_extent.e_end: EOF\n    sub_layout:\n      lmm_stripe_count:  8\n"
      "      lmm_stripe_size:   4194304\n";
  const ObservedLustre seen = lustre_layouts(plain + composite + plain);
  CHECK(seen.osts == 2);
  REQUIRE(seen.layouts.size() == 2);
  CHECK(seen.layouts[0].files == 2);
  CHECK(seen.layouts[0].components[0].stripe_count == 4);
  REQUIRE(seen.layouts[1].components.size() == 2);
  CHECK(seen.layouts[1].components[0].end->in(unit::MiB) == 1.0);
  CHECK_FALSE(seen.layouts[1].components[1].end);
  CHECK(seen.layouts[1].components[1].stripe_count == 8);
}

}  // namespace stallcast::calibration::live
