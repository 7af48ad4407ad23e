#pragma once

#include <optional>
#include <string>

#include "stallcast/units.hpp"

/// How submitters write numbers of parts, ports, drives and rates: "2x100GbE", "dual HDR200", "4 x
/// NDR", "64x 3.84TB NVMe", "1,000 GB/s". What none of these says is nullopt, never a guess.
namespace stallcast::calibration::mlperf::written {

/// A number of things of one rate.
struct Ports {
  std::optional<double> count;  ///< nullopt: the text has no number of them
  Rate rate;                    ///< of one
};

/// Of a cell about ports, where a number without a unit is in Gb/s: "400", "2 x 100 (yaml)". Ports
/// of more than one rate are nullopt.
[[nodiscard]] std::optional<Ports> ports_of_cell(const std::string& cell);

/// How many parts a cell has: "8x KIOXIA", "2 x 400", "dual EPYC", "7.68 TB x 10", "instance store
/// 8 x 3750 GB"; nullopt for "7.68 TB".
[[nodiscard]] std::optional<double> count_of_cell(const std::string& cell);

/// What a cell says of drives that hold data: without those to boot from. nullopt where it counts
/// drives of more than one kind: "12 x NVMe, 4 x HDD".
[[nodiscard]] std::optional<std::string> drives_of_cell(const std::string& cell);

/// The first rate with a unit of bytes or bits a second: "500 MB/s", "100 GiB/s", "800 Gb/s".
[[nodiscard]] std::optional<Rate> rate_in(const std::string& text);

/// Whether a cell begins with a number below 0: of what is counted here there is no such one.
[[nodiscard]] bool negative(const std::string& text);

/// The first number, with or without separators of thousands; nullopt for a negative one.
[[nodiscard]] std::optional<double> number_in(const std::string& text);

/// The same where it is above 0, which in tables says that nothing is known.
[[nodiscard]] std::optional<double> amount_in(const std::string& text);

/// Memory: in GiB where no unit stands beside it.
[[nodiscard]] std::optional<Bytes> memory_in(const std::string& text);

/// What a sentence says of a whole system's servers. Numbers count all of them where it does not
/// say "per node" or "each".
struct Servers {
  std::optional<double> nodes;
  std::optional<double> drives;      ///< of all
  std::optional<double> node_ports;  ///< of each
  Rate port;                         ///< of one port; 0: not said
};
/// "4 nodes, 64x 3.84TB NVMe, 2x IB400 per node".
[[nodiscard]] Servers servers_in(const std::string& text);

/// `text` in lower case, with "x" for the sign of times and "gbyte/s" for rates in bytes.
[[nodiscard]] std::string plain(const std::string& text);

}  // namespace stallcast::calibration::mlperf::written
