#pragma once

#include <filesystem>
#include <map>
#include <string>

/// What a reader of measurements needs to know of where they were taken.
namespace stallcast::calibration::probing {

using Facts = std::map<std::string, std::string>;

/// kernel, cpu, cores, memory, hypervisor (when there is one), load_average, thp.
[[nodiscard]] Facts machine_facts();

/// file_system, mount_source, mount_options, and of the block device below, where there is one:
/// device, device_model, device_size, rotational, scheduler, io_poll, max_segments, write_cache.
/// `path` is a folder or a device. The mount point itself is left out: it identifies the user.
[[nodiscard]] Facts storage_facts(const std::filesystem::path& path);

/// First line of a file that the system makes, without blanks around it; "" of one that is not
/// there.
[[nodiscard]] std::string first_line(const std::filesystem::path& path);

/// ISO 8601, UTC.
[[nodiscard]] std::string now_text();

/// What else runs here, in cores: the load average of the last minute. A probe that runs meanwhile
/// measures less than the storage can do.
[[nodiscard]] double load_average();
/// Main memory of the machine, in bytes.
[[nodiscard]] double memory_bytes();
/// Cores that this process may use.
[[nodiscard]] int cores();

/// Whether this is a virtual machine: a cache of its host may stand before the drive.
[[nodiscard]] bool under_hypervisor();

}  // namespace stallcast::calibration::probing
