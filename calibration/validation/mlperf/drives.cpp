#include "calibration/validation/mlperf/drives.hpp"

#include <array>
#include <regex>
#include <string_view>

#include "calibration/validation/mlperf/written.hpp"

namespace stallcast::calibration::mlperf {
namespace {

using namespace literals;

struct Product {
  std::string_view name;
  Rate rate;
};
/// Sequential reads of drives by the vendors' data sheets, by part of their names in lower case.
constexpr std::array kDrives = std::to_array<Product>({{"6500 ion", 6.8_GBps},
                                                       {"micron 6500", 6.8_GBps},
                                                       {"micron 7450", 6.8_GBps},
                                                       {"micron 7500", 7.0_GBps},
                                                       {"9400", 7.0_GBps},
                                                       {"9550", 14.0_GBps},
                                                       {"pm1733", 7.0_GBps},
                                                       {"mzwlr", 7.0_GBps},
                                                       {"pm1743", 14.0_GBps},
                                                       {"kioxia cm6", 6.9_GBps},
                                                       {"kioxia cm7", 14.0_GBps},
                                                       {"d5-p5336", 7.0_GBps},
                                                       {"d7-ps1010", 14.5_GBps},
                                                       {"mtfdkcc", 6.8_GBps}});

/// Kinds of drives by the words for them, and what those on sale read.
struct Kind {
  const char* pattern;
  Rate read, low, high;
};
constexpr std::array kKinds = std::to_array<Kind>(
    {{R"(\binstance\b)", 2.2_GBps, 1.2_GBps, 4.0_GBps},
     // Volumes of clouds: gp3 125 MiB/s as made, 1 GiB/s (2 since 2025) at most; io2 4 GB/s.
     {R"(\b(gp2|gp3|io1|io2|EBS)\b)", 1.0_GBps, 0.125_GBps, 4.0_GBps},
     {R"(\bHDDs?\b|\bhard (disk|drive)|\b\d+(\.\d+)?k? ?rpm|\b(7\.2|10|15)k\b(?! ?iops))",
      0.22_GBps, 0.1_GBps, 0.29_GBps},
     {R"(\bSATA\b)", 0.5_GBps, 0.1_GBps, 0.56_GBps},
     {R"(\bSAS\b)", 1.2_GBps, 0.2_GBps, 4.2_GBps},
     {R"(PCI ?e ?(gen ?)?5|\bgen ?5)", 12.0_GBps, 8.0_GBps, 14.5_GBps},
     {R"(PCI ?e ?(gen ?)?4|\bgen ?4)", 6.8_GBps, 4.5_GBps, 7.4_GBps},
     {R"(PCI ?e ?(gen ?)?3|\bgen ?3)", 3.2_GBps, 1.8_GBps, 3.6_GBps}});
/// NVMe of which nothing more is said: PCIe 3 to 5.
constexpr Rate kSlowest = 3_GBps, kFastest = 14_GBps;

}  // namespace

DriveRate drive_in(const std::string& words, Rate usual) {
  const std::string lower = written::plain(words);
  for (const Product& one : kDrives)
    if (lower.find(one.name) != std::string::npos) return {one.rate};
  for (const Kind& kind : kKinds)
    if (std::regex_search(lower, std::regex(kind.pattern, std::regex::icase)))
      return {kind.read, kind.low / kind.read, kind.high / kind.read, false};
  return {usual, kSlowest / usual, kFastest / usual, false};
}

}  // namespace stallcast::calibration::mlperf
