#include "calibration/measure/probes/bystanders.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>

#include "calibration/measure/probes/processes.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration::probing {
namespace {

constexpr double kBusyOthers = 0.20, kBusyStolen = 0.05;
constexpr double kShortest = 0.2;  // s

std::optional<CoreTime> core_time_now() {
  std::ifstream in("/proc/stat");
  std::string line;
  std::getline(in, line);
  auto now = parse_core_time(line, 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK)));
  if (now) now->own = cpu_s(RUSAGE_SELF) + cpu_s(RUSAGE_CHILDREN);
  return now;
}

}  // namespace

// proc(5): cpu user nice system idle iowait irq softirq steal guest guest_nice. Guests are counted
// under user, too. Interrupts are nobody's: most are of what the probe asks the device for.
std::optional<CoreTime> parse_core_time(std::string_view line, double tick_s) {
  std::istringstream in{std::string(line)};
  std::string name;
  std::array<double, 8> ticks{};
  in >> name;
  for (double& value : ticks)
    if (!(in >> value)) return std::nullopt;
  if (name != "cpu") return std::nullopt;
  CoreTime out;
  out.all = tick_s * std::accumulate(ticks.begin(), ticks.end(), 0.0);
  out.used = tick_s * (ticks[0] + ticks[1] + ticks[2]);
  out.stolen = tick_s * ticks[7];
  return out;
}

bool OtherLoad::busy() const { return others > kBusyOthers || stolen > kBusyStolen; }

OtherLoad other_load(const CoreTime& before, const CoreTime& after) {
  const double all = after.all - before.all;
  if (all <= 0.0) return {};
  const double others = after.used - before.used - (after.own - before.own);
  return {std::clamp(others / all, 0.0, 1.0),
          std::clamp((after.stolen - before.stolen) / all, 0.0, 1.0)};
}

Bystanders::Bystanders() : began_(core_time_now()) {}

std::optional<OtherLoad> Bystanders::seen() const {
  const auto now = core_time_now();
  const auto online = static_cast<double>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  if (!began_ || !now || now->all - began_->all < kShortest * online) return std::nullopt;
  return other_load(*began_, *now);
}

void Bystanders::note(std::span<Measurement> runs) const {
  const auto load = seen();
  if (!load) return;
  for (Measurement& m : runs) {
    m.options["others"] = base::print_quantity(load->others, Dimension::ratio);
    m.options["steal"] = base::print_quantity(load->stolen, Dimension::ratio);
    if (load->busy()) m.flags.emplace_back("busy");
  }
}

}  // namespace stallcast::calibration::probing
