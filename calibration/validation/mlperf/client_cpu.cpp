#include <array>
#include <regex>
#include <string_view>

#include "calibration/validation/mlperf/facts.hpp"

namespace stallcast::calibration::mlperf {
namespace {

struct Cpu {
  std::string_view model;
  int cores;  ///< per socket
};

/// Server CPUs of the years of the rounds, by the digits of their names (Intel and AMD data
/// sheets).
constexpr std::array kCpus = std::to_array<Cpu>({
    {"6138", 20},  {"6148", 20},  {"6226", 12},  {"6230", 20}, {"6248", 20}, {"6252", 24},
    {"6326", 16},  {"6330", 28},  {"6336", 24},  {"6338", 32}, {"6342", 24}, {"6346", 16},
    {"6348", 28},  {"6354", 18},  {"6430", 32},  {"6434", 8},  {"6438", 32}, {"6442", 24},
    {"6444", 16},  {"6448", 32},  {"6454", 32},  {"6458", 32}, {"6530", 32}, {"6542", 24},
    {"6548", 32},  {"6554", 36},  {"7282", 16},  {"7302", 16}, {"7313", 16}, {"7343", 16},
    {"7402", 24},  {"7413", 24},  {"7443", 24},  {"7452", 32}, {"7453", 28}, {"7502", 32},
    {"7513", 32},  {"7532", 32},  {"7542", 32},  {"7543", 32}, {"7552", 48}, {"7642", 48},
    {"7643", 48},  {"7662", 64},  {"7663", 56},  {"7702", 64}, {"7713", 64}, {"7742", 64},
    {"7763", 64},  {"7773", 64},  {"7H12", 64},  {"8260", 24}, {"8268", 24}, {"8280", 28},
    {"8352", 32},  {"8358", 32},  {"8360", 36},  {"8362", 32}, {"8368", 38}, {"8380", 40},
    {"8452", 36},  {"8458", 44},  {"8460", 40},  {"8462", 32}, {"8468", 48}, {"8470", 52},
    {"8480", 56},  {"8490", 60},  {"8558", 48},  {"8562", 32}, {"8568", 48}, {"8580", 60},
    {"8592", 64},  {"9124", 16},  {"9174", 16},  {"9224", 24}, {"9254", 24}, {"9274", 24},
    {"9334", 32},  {"9354", 32},  {"9355", 32},  {"9374", 32}, {"9454", 48}, {"9474", 48},
    {"9534", 64},  {"9554", 64},  {"9575", 64},  {"9634", 84}, {"9654", 96}, {"9684", 96},
    {"9754", 128}, {"9755", 128}, {"9965", 192},
});

constexpr double kThreadsPerCore = 2.0;
constexpr double kSockets =
    2.0;  ///< where no number stands before the model, but of EPYCs with a "P"
constexpr double kThreadsPerCloudSize = 4.0;  ///< vCPUs of AWS's "xlarge"
/// EPYC 7002: four digits that end in 2.
bool is_zen2(std::string_view model) { return model.front() == '7' && model.back() == '2'; }

/// Eight channels of DDR4-3200, of CPUs whose generation is not known; and a vCPU's part of them.
constexpr Rate kOfSocket = Rate::from(204.8, unit::GBps), kOfVcpu = Rate::from(3.2, unit::GBps);

/// Memory of a socket by the CPU's generation (Intel and AMD data sheets): Xeon by the second digit
/// of its name, 6 channels of DDR4-2666 and -2933, 8 of DDR4-3200, DDR5-4800 and DDR5-5600; EPYC
/// 7000 8 of DDR4-3200, EPYC 9000 12 of DDR5-4800.
Rate memory_of(std::string_view model) {
  constexpr std::array kXeon{128.0, 140.8, 204.8, 307.2, 358.4};
  if (model[0] == '7') return kOfSocket;
  if (model[0] == '9') return Rate::from(460.8, unit::GBps);
  const int generation = model[1] - '1';
  if (generation < 0 || generation >= static_cast<int>(kXeon.size())) return kOfSocket;
  return Rate::from(kXeon[static_cast<std::size_t>(generation)], unit::GBps);
}

}  // namespace

ClientCpu cpu_of_vcpus(double vcpus) { return {vcpus, kOfVcpu * vcpus, false}; }

std::optional<ClientCpu> client_cpu(const std::string& text) {
  static const std::regex kVcpu(R"((\d{1,4})\s*vCPU)", std::regex::icase),
      kCloud(R"(\b[a-z]+\d+[a-z]*\.(\d{1,3})xlarge)"),
      kCores(R"((?:^|[\s(])(\d{1,3})\s*-?(?:c\b|cores?\b))", std::regex::icase),
      kModel(R"(\b(\d[\dH]\d\d)[A-Z+]*(?![\w]))"), kOneSocket(R"(EPYC.*\b\d[\dF]\d\dP\b)");
  if (const auto threads = first_group(text, kVcpu)) return cpu_of_vcpus(*threads);
  if (const auto size = first_group(text, kCloud))
    return cpu_of_vcpus(kThreadsPerCloudSize * *size);
  const double usual = std::regex_search(text, kOneSocket) ? 1.0 : kSockets;
  const double sockets = written::count_of_cell(text).value_or(usual);
  const auto cores = first_group(text, kCores);
  Rate memory = kOfSocket;
  bool zen2 = false;
  for (std::sregex_iterator at(text.begin(), text.end(), kModel), end; at != end; ++at)
    for (const Cpu& cpu : kCpus)
      if ((*at)[1].str() == cpu.model) {
        memory = memory_of(cpu.model);
        zen2 = is_zen2(cpu.model);
        if (!cores) return ClientCpu{kThreadsPerCore * sockets * cpu.cores, memory * sockets, zen2};
      }
  if (cores) return ClientCpu{kThreadsPerCore * sockets * *cores, memory * sockets, zen2};
  return std::nullopt;
}

}  // namespace stallcast::calibration::mlperf
