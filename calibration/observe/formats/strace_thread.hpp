#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "stallcast/units.hpp"

/// What strace's threads have open.
namespace stallcast::calibration::strace {

/// An open file: descriptors that were duplicated share it.
struct OpenFile {
  std::string name;
  std::uint64_t id = 0;
  std::optional<std::uint64_t> position = 0;
  bool direct = false;  ///< O_DIRECT
};
struct OpenDescriptor {
  std::shared_ptr<OpenFile> file;
  bool close_on_exec = false;
};
using Descriptors = std::map<std::int64_t, OpenDescriptor>;

/// A thread.
struct TracedThread {
  std::int64_t process = 0;
  std::shared_ptr<Descriptors> open = std::make_shared<Descriptors>();
  std::string begun;       ///< arguments of a call that is not finished
  std::string begun_name;  ///< its name
  Seconds begun_time;
};

}  // namespace stallcast::calibration::strace
