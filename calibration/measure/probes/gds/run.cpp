#include "calibration/measure/probes/gds/run.hpp"

#include <atomic>
#include <barrier>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "calibration/measure/probes/processes.hpp"

namespace stallcast::calibration::gds {
namespace {

using probing::clock_s;
using probing::keep;
using probing::Meter;
using probing::Walk;

std::string absent(const Library& library) {
  return "tried " + tried_text(library) + ": " + library.reason;
}

/// Threads that move blocks until the meter has enough; the first trouble ends them all.
class Crew {
 public:
  Crew(const GdsLoad& load, const MoverParts& parts, GdsTally& tally)
      : load_(load), parts_(parts), tally_(tally) {}

  // The clock starts when all have their buffers.
  void run() {
    std::barrier ready(static_cast<std::ptrdiff_t>(load_.io.depth),
                       [this]() noexcept { meter_.emplace(load_.io, tally_.io); });
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < load_.io.depth; ++i)
      threads.emplace_back([this, &ready, i] {
        bool arrived = false;
        try {
          Walk walk(load_.io, i);
          const auto mover = prepare(i, walk);
          arrived = true;
          ready.arrive_and_wait();
          work(*mover, walk);
        } catch (const std::exception& error) {
          {
            const std::lock_guard lock(mutex_);
            if (trouble_.empty()) trouble_ = error.what();
          }
          ending_ = true;
          if (!arrived) ready.arrive_and_drop();
        }
      });
    for (std::thread& thread : threads) thread.join();
    if (!trouble_.empty()) throw Trouble(trouble_);
  }

 private:
  std::unique_ptr<BlockMover> prepare(unsigned i, Walk& walk) {
    parts_.context.use();
    MoverParts parts = parts_;
    parts.seed += i;
    auto mover = make_mover(load_.way, parts);
    if (i == 0) keep(tally_.buffers, mover->buffers());
    // Not during writes of other threads, which change the file meanwhile.
    if (i == 0 && load_.io.read_share >= 1.0) mover->verify(walk.offset());
    return mover;
  }

  void work(BlockMover& mover, Walk& walk) {
    while (!ending_) {
      const double submitted = clock_s();
      mover.move(walk.offset(), walk.reading());
      const double now = clock_s();
      const std::lock_guard lock(mutex_);
      if (ending_) break;
      meter_->completed(submitted, now);
      if (!meter_->done(now)) continue;
      meter_->finish();
      ending_ = true;
    }
    mover.drain();
  }

  const GdsLoad& load_;
  const MoverParts& parts_;
  GdsTally& tally_;
  std::optional<Meter> meter_;
  std::mutex mutex_;  // of the meter and the trouble
  std::atomic<bool> ending_ = false;
  std::string trouble_;
};

void run_cufile(const GdsLoad& load, MoverParts parts, const std::filesystem::path& folder,
                GdsTally& tally) {
  point_to_settings(write_settings(load.settings, folder));
  const Library library = load_cufile();
  if (library.handle == nullptr) throw Trouble("no libcufile: " + absent(library));
  keep(tally.library, library.file);
  const CuFile api = bind_cufile(library);
  const CuFileDriver driver(api);
  tally.cufile_version = driver.version();
  tally.properties = driver.properties();
  const CuFileHandle handle(api, parts.fd);
  parts.api = &api;
  parts.handle = handle.at();
  const bool reading = load.io.read_share >= 1.0;
  CuFileCounters counters{};
  const bool before = driver.counters(counters);
  const PathCounts start = counts_of(counters, reading);
  Crew(load, parts, tally).run();
  tally.counted = before && driver.counters(counters);
  const PathCounts moved = counts_of(counters, reading) - start;
  tally.counts = {moved.p2p, moved.nvfs, moved.posix};
}

}  // namespace

void run_gds(int fd, const GdsLoad& load, const std::filesystem::path& folder, GdsTally& tally) {
  try {
    const Library library = load_cuda();
    if (library.handle == nullptr) throw Trouble("no CUDA driver: " + absent(library));
    const CudaDriver cuda = bind_cuda(library);
    const CudaContext context(cuda);
    const MoverParts parts{.context = context,
                           .fd = fd,
                           .size = load.io.size,
                           .seed = load.io.seed,
                           .registered = load.registered};
    if (load.way == Way::cufile)
      run_cufile(load, parts, folder, tally);
    else
      Crew(load, parts, tally).run();
  } catch (const std::exception& error) {
    keep(tally.trouble, error.what());
  }
}

void look(GdsMachine& machine) {
  const Library cufile = load_cufile();
  machine.cufile = cufile.handle != nullptr;
  keep(machine.cufile_library, cufile.file);
  try {
    if (!machine.cufile) throw Trouble(absent(cufile));
    (void)bind_cufile(cufile);
  } catch (const Trouble& trouble) {
    machine.cufile = false;
    keep(machine.cufile_trouble, trouble.what());
  }
  try {
    const Library library = load_cuda();
    if (library.handle == nullptr) throw Trouble(absent(library));
    keep(machine.cuda_library, library.file);
    const CudaDriver cuda = bind_cuda(library);
    const CudaContext context(cuda);
    cuda.driver_version(&machine.driver_version);
    keep(machine.device, context.device_name());
    machine.cuda = true;
  } catch (const Trouble& trouble) {
    keep(machine.cuda_trouble, trouble.what());
  }
}

std::string kernel_text(const std::filesystem::path& root) {
  std::error_code error;
  const auto there = [&](const char* path) { return std::filesystem::exists(root / path, error); };
  const auto loaded = [](bool yes) { return yes ? " loaded" : " not loaded"; };
  return std::string("NVIDIA kernel driver") + loaded(there("proc/driver/nvidia/version")) +
         ", nvidia-fs" + loaded(there("proc/driver/nvidia-fs") || there("sys/module/nvidia_fs")) +
         (there("run/udev") ? "" : ", no /run/udev, which cuFile needs");
}

}  // namespace stallcast::calibration::gds
