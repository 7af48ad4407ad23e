#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "calibration/observe/formats/trace_format.hpp"
#include "stallcast/observation.hpp"

namespace stallcast::calibration {

/// A file in memory with `content`, until the next call: tests make many thousands.
std::string trace_file(std::string_view content);

/// `content` as a trace of `format`.
Observation observe(std::string_view format, std::string_view content, Diagnostics& diagnostics,
                    bool names = true);
/// The same; faults fail the test.
Observation observe(std::string_view format, std::string_view content);

/// A message of protobuf behind its length, as Chakra writes them.
std::string wire_number(std::uint64_t field, std::uint64_t value);
std::string wire_text(std::uint64_t field, std::string_view value);
std::string wire_message(std::string_view content);

/// Small traces made up here, one a format, that read without a fault.
std::string small_kineto();
std::string small_dftracer();
std::string small_dxt();
std::string small_iolog();
std::string small_strace();
std::string small_chakra();
std::string small_dlio();

}  // namespace stallcast::calibration
