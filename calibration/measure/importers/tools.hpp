#pragma once

#include <string_view>

#include "calibration/measure/importers/importer.hpp"
#include "stallcast/measurement.hpp"

/// The two functions of each row of the table in importers.cpp. What a tool's figures mean stands
/// in its .cpp and in docs/reference/importers.md.
namespace stallcast::calibration {

using RecogniseTool = bool(std::string_view text);
using ReadTool = void(const ToolFile& file, MeasurementSet& set);

// clang-format off
namespace darshan { RecogniseTool recognises; ReadTool read; }
namespace dlio_results { RecogniseTool recognises; ReadTool read; }
namespace elbencho { RecogniseTool recognises; ReadTool read; }
namespace fio { RecogniseTool recognises; ReadTool read; }
namespace gdsio { RecogniseTool recognises; ReadTool read; }
namespace io500 { RecogniseTool recognises; ReadTool read; }
namespace ior { RecogniseTool recognises; ReadTool read; }
namespace iostat { RecogniseTool recognises; ReadTool read; }
namespace mdtest { RecogniseTool recognises; ReadTool read; }
namespace nccl_tests { RecogniseTool recognises; ReadTool read; }
namespace nvbandwidth { RecogniseTool recognises; ReadTool read; }
namespace perftest { RecogniseTool recognises; ReadTool read; }
// clang-format on

}  // namespace stallcast::calibration
