#pragma once

#include <memory>
#include <string_view>

#include "calibration/observe/formats/trace_format.hpp"

/// The functions of each row of the table in trace_formats.cpp. What a format's records mean stands
/// in its .cpp and in docs/reference/traces.md.
namespace stallcast::calibration {

using RecognisesTrace = bool(std::string_view head);
using ReadTrace = void(TraceFile& file, std::int64_t index, ObservationBuilder& builder);
using OperationsOf = std::unique_ptr<OperationStream>(TraceFile& file, std::int64_t index);

// clang-format off
namespace chakra { RecognisesTrace recognises; ReadTrace read; }
namespace darshan_dxt { RecognisesTrace recognises; ReadTrace read; OperationsOf operations; }
namespace dftracer { RecognisesTrace recognises; ReadTrace read; OperationsOf operations; }
namespace dlio_output {
RecognisesTrace recognises;
ReadTrace read;
void read_config(TraceFile& file, ObservationBuilder& builder);
}
namespace iolog { RecognisesTrace recognises; ReadTrace read; OperationsOf operations; }
namespace kineto { RecognisesTrace recognises; ReadTrace read; }
namespace strace { RecognisesTrace recognises; ReadTrace read; OperationsOf operations; }
// clang-format on

}  // namespace stallcast::calibration
