#include "calibration/measure/probes/machine.hpp"

#include <sched.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <fstream>
#include <sstream>
#include <system_error>

#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::probing {
namespace {

namespace fs = std::filesystem;

/// Value of the first line "key : value" of a file of /proc.
std::string value_of(const fs::path& path, const std::string& key) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(':');
    if (colon != std::string::npos && base::trim(line.substr(0, colon)) == key)
      return std::string(base::trim(line.substr(colon + 1)));
  }
  return "";
}

void put(Facts& facts, const std::string& key, std::string value) {
  if (!value.empty()) facts[key] = std::move(value);
}

/// "[none] mq-deadline": what is in brackets is in force.
std::string chosen(const std::string& text) {
  const std::size_t open = text.find('['), close = text.find(']');
  return open == std::string::npos || close == std::string::npos
             ? text
             : text.substr(open + 1, close - open - 1);
}

struct Mount {
  std::string device, point, options, type, source;
};

/// proc(5): id parent major:minor root point options [optional]... - type source super-options
Mount mount_of(const fs::path& path) {
  std::error_code error;
  const std::string at = fs::canonical(path, error).string();
  Mount best;
  std::ifstream in("/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string skip, root, super;
    Mount mount;
    fields >> skip >> skip >> mount.device >> root >> mount.point >> mount.options;
    while (fields >> skip && skip != "-") {
    }
    fields >> mount.type >> mount.source >> super;
    const bool below = at == mount.point || mount.point == "/" ||
                       (at.starts_with(mount.point) && at[mount.point.size()] == '/');
    if (!below || mount.point.size() < best.point.size()) continue;  // a later mount hides others
    mount.options += "," + super;
    best = mount;
  }
  return best;
}

void describe_device(Facts& facts, const std::string& number) {
  std::error_code error;
  fs::path block = fs::canonical("/sys/dev/block/" + number, error);
  if (error) return;  // a network file system, or one without a device of its own
  if (fs::exists(block / "partition")) block = block.parent_path();
  const auto queue = [&](const char* file) { return first_line(block / "queue" / file); };
  put(facts, "device", block.filename().string());
  put(facts, "device_model", first_line(block / "device" / "model"));
  if (const std::string sectors = first_line(block / "size"); !sectors.empty())
    put(facts, "device_size",
        base::print_quantity(512.0 * std::stod(sectors), Dimension::bytes));  // always of 512 B
  put(facts, "rotational", queue("rotational"));
  put(facts, "scheduler", chosen(queue("scheduler")));
  put(facts, "io_poll", queue("io_poll"));
  put(facts, "max_segments", queue("max_segments"));
  put(facts, "write_cache", queue("write_cache"));
}

}  // namespace

std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return std::string(base::trim(line));
}

bool under_hypervisor() {
  const std::string flags = " " + value_of("/proc/cpuinfo", "flags") + " ";
  return flags.find(" hypervisor ") != std::string::npos ||
         !first_line("/sys/hypervisor/type").empty();
}

double load_average() {
  std::istringstream in(first_line("/proc/loadavg"));
  double load = 0.0;
  in >> load;
  return load;
}

double memory_bytes() {
  return static_cast<double>(sysconf(_SC_PAGESIZE)) * static_cast<double>(sysconf(_SC_PHYS_PAGES));
}

int cores() {
  cpu_set_t cpus;
  return sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? std::max(1, CPU_COUNT(&cpus)) : 1;
}

Facts machine_facts() {
  Facts facts;
  put(facts, "kernel", first_line("/proc/sys/kernel/osrelease"));
  put(facts, "cpu", value_of("/proc/cpuinfo", "model name"));
  put(facts, "cores", std::to_string(cores()));
  put(facts, "memory", base::print_quantity(memory_bytes(), Dimension::bytes));
  if (under_hypervisor()) {
    const std::string vendor = first_line("/sys/class/dmi/id/sys_vendor");
    put(facts, "hypervisor", vendor.empty() ? "yes" : vendor);
  }
  put(facts, "load_average", first_line("/proc/loadavg"));
  put(facts, "thp", chosen(first_line("/sys/kernel/mm/transparent_hugepage/enabled")));
  return facts;
}

Facts storage_facts(const fs::path& path) {
  Facts facts;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return facts;
  const auto number = [](dev_t device) {
    return std::to_string(major(device)) + ":" + std::to_string(minor(device));
  };
  if (S_ISBLK(info.st_mode)) {
    describe_device(facts, number(info.st_rdev));
    return facts;
  }
  const Mount mount = mount_of(path);
  put(facts, "file_system", mount.type);
  put(facts, "mount_source", mount.source);
  put(facts, "mount_options", mount.options);
  describe_device(facts, mount.device);
  return facts;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

}  // namespace stallcast::calibration::probing
