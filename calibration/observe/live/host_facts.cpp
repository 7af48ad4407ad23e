#include "calibration/observe/live/host_facts.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "calibration/observe/live/proc_files.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::live {
namespace {

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return out;
  while (const dirent* entry = readdir(dir))
    if (entry->d_name[0] != '.') out.emplace_back(entry->d_name);
  closedir(dir);
  std::sort(out.begin(), out.end());
  return out;
}

/// Physical cores: different (package, core) of the threads that the kernel schedules on.
std::int64_t physical_cores() {
  std::set<std::string> cores;
  const std::string cpus = "/sys/devices/system/cpu/";
  for (const std::string& name : names_in(cpus)) {
    const std::string at = cpus + name + "/topology/";
    const std::string core = proc_line(at + "core_id");
    if (name.starts_with("cpu") && !core.empty())
      cores.insert(proc_line(at + "physical_package_id") + ":" + core);
  }
  return static_cast<std::int64_t>(cores.size());
}

/// Those with a device behind them; a rate where the driver tells one.
std::vector<ObservedNic> nics() {
  std::vector<ObservedNic> out;
  const std::string net = "/sys/class/net/";
  for (const std::string& name : names_in(net)) {
    if (access((net + name + "/device").c_str(), F_OK) != 0) continue;
    ObservedNic& nic = out.emplace_back();
    nic.name = name;
    const double speed = proc_number(proc_line(net + name + "/speed"));
    if (speed > 0.0) nic.rate = Rate::from(speed, unit::Mbps);
  }
  return out;
}

void gpus_of_driver(ObservedHost& host) {
  const std::string folder = "/proc/driver/nvidia/gpus/";
  const auto gpus = names_in(folder);
  if (gpus.empty()) return;
  host.accelerators = static_cast<std::int64_t>(gpus.size());
  host.accelerator =
      std::string(proc_value(proc_text(folder + gpus.front() + "/information"), "Model"));
}

}  // namespace

ObservedHost host_facts() {
  ObservedHost host;
  host.hosts = 1;
  const std::int64_t threads = sysconf(_SC_NPROCESSORS_ONLN), cores = physical_cores();
  host.hardware_threads = threads;
  if (cores > 0) host.cores = std::min(cores, threads);
  host.cpu = std::string(proc_value(proc_text("/proc/cpuinfo"), "model name"));
  const double kibibytes = proc_number(proc_value(proc_text("/proc/meminfo"), "MemTotal"));
  if (kibibytes > 0.0) host.memory = Bytes::from(kibibytes, unit::KiB);
  host.kernel = proc_line("/proc/sys/kernel/osrelease");
  host.nics = nics();
  gpus_of_driver(host);
  return host;
}

void take_gpus(std::string_view text, ObservedHost& host) {
  std::int64_t count = 0;
  for (const std::string& line : base::split(text, '\n')) {
    const std::size_t comma = line.rfind(',');
    if (comma == std::string::npos) continue;
    if (count++ > 0) continue;
    host.accelerator = std::string(base::trim(line.substr(0, comma)));
    // "[N/A]" where memory is the host's.
    if (const auto mebibytes = base::parse_number(base::trim(line.substr(comma + 1))))
      host.accelerator_memory = Bytes::from(*mebibytes, unit::MiB);
  }
  if (count > 0) host.accelerators = count;
}

ObservedLustre lustre_layouts(std::string_view yaml) {
  ObservedLustre out;
  std::map<std::string, ObservedLayout> layouts;
  std::set<std::string> osts;
  ObservedLayout current;
  StripeComponent component;
  bool any = false;
  const auto number = [](std::string_view text) { return base::parse_number(text); };
  const auto close_component = [&] {
    if (any) current.components.push_back(component);
    component = {};
    any = false;
  };
  const auto close_file = [&] {
    close_component();
    if (current.components.empty()) return;
    std::string key;
    for (const StripeComponent& c : current.components)
      key += std::to_string(c.start.in(unit::B)) + "-" +
             (c.end ? std::to_string(c.end->in(unit::B)) : "") + "/" +
             std::to_string(c.stripe_size.in(unit::B)) + "x" + std::to_string(c.stripe_count) + ";";
    ObservedLayout& layout = layouts.emplace(key, current).first->second;
    ++layout.files;
    current = {};
  };
  for (const std::string& line : base::split(yaml, '\n')) {
    const std::string_view text = base::trim(line);
    const std::size_t colon = text.find(':');
    if (colon == text.npos) continue;
    std::string_view key = text.substr(0, colon);
    if (key.starts_with("- ")) key.remove_prefix(2);
    const std::string_view value = base::trim(text.substr(colon + 1));
    if (key == "lmm_fid" || key == "lcm_layout_gen") close_file();
    if (key == "lcme_id") close_component();
    if (key == "lcme_extent.e_start")
      component.start = Bytes::from(number(value).value_or(0.0), unit::B);
    if (key == "lcme_extent.e_end" && number(value))
      component.end = Bytes::from(*number(value), unit::B);
    if (key == "lmm_stripe_count")
      component.stripe_count = static_cast<std::int64_t>(number(value).value_or(0.0)), any = true;
    if (key == "lmm_stripe_size")
      component.stripe_size = Bytes::from(number(value).value_or(0.0), unit::B);
    if (key == "l_ost_idx") osts.insert(std::string(value.substr(0, value.find(','))));
  }
  close_file();
  for (auto& [key, layout] : layouts) out.layouts.push_back(std::move(layout));
  std::stable_sort(out.layouts.begin(), out.layouts.end(),
                   [](const auto& a, const auto& b) { return a.files > b.files; });
  out.osts = osts.size();
  return out;
}

}  // namespace stallcast::calibration::live
