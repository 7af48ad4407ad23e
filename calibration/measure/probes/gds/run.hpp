#pragma once

#include <array>
#include <filesystem>

#include "calibration/measure/probes/gds/movers.hpp"
#include "calibration/measure/probes/gds/verdict.hpp"
#include "calibration/measure/probes/io_engine.hpp"

/// One run of one cell of the gds probe, in the process that calls it. What calls it forks first:
/// neither CUDA nor cuFile outlives a fork, and a crash of theirs ends the run alone.
namespace stallcast::calibration::gds {

struct GdsLoad {
  Way way = Way::pageable;
  probing::IoLoad io;       ///< depth is threads; read_share 1 or 0
  CuFileSettings settings;  ///< of Way::cufile
  bool registered = true;   ///< the buffers, with cuFile
};

/// What came out. Lives in shared memory: zeroed memory is an empty one.
struct GdsTally {
  probing::IoTally io;
  bool counted;                         ///< cuFile counted by path
  std::array<std::uint64_t, 3> counts;  ///< p2p, nvfs, posix: of the whole run
  CuFileProperties properties;
  int cufile_version;
  std::array<char, 300> trouble;  ///< "" when all went well
  std::array<char, 40> buffers;
  std::array<char, 200> library;  ///< libcufile that was loaded
};

/// Loads the libraries and runs `load` on `fd`; `folder` takes settings and logs of cuFile. What
/// goes wrong is in `tally.trouble`.
void run_gds(int fd, const GdsLoad& load, const std::filesystem::path& folder, GdsTally& tally);

/// The accelerator and the libraries. Lives in shared memory.
struct GdsMachine {
  bool cuda, cufile;   ///< work, are there
  int driver_version;  ///< 12040 is 12.4
  std::array<char, 128> device;
  std::array<char, 600> cuda_trouble, cufile_trouble;  ///< what was tried, and what it said
  std::array<char, 200> cuda_library, cufile_library;
};
/// Asks both, in the process that calls it.
void look(GdsMachine& machine);

/// "NVIDIA kernel driver loaded, nvidia-fs not loaded, no /run/udev", from /proc and /sys below
/// `root`.
[[nodiscard]] std::string kernel_text(const std::filesystem::path& root = "/");

}  // namespace stallcast::calibration::gds
