#include "calibration/observe/live/mount_table.hpp"

#include <array>

#include "calibration/observe/live/proc_files.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::live {
namespace {

/// "\040" is a blank, and so on: proc(5).
std::string unescaped(std::string_view text) {
  const auto octal = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && octal(text[i + 1]) && octal(text[i + 2]) &&
        octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                               (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Options that say where something is or who somebody is stay out.
bool names_something(std::string_view option) {
  constexpr std::array<std::string_view, 9> kBytesAndFlags{
      "rsize", "wsize", "vers", "proto", "nconnect", "acregmin", "acregmax", "timeo", "size"};
  const std::size_t equals = option.find('=');
  if (equals == option.npos) return option.find('/') != option.npos;
  const std::string_view key = option.substr(0, equals), value = option.substr(equals + 1);
  for (const std::string_view known : kBytesAndFlags)
    if (key == known) return false;
  for (const char c : value)
    if (!base::is_digit(c)) return true;
  return key.ends_with("uid") || key.ends_with("gid");
}

std::string plain_options(std::string_view of_mount, std::string_view of_system) {
  std::vector<std::string> out;
  for (const std::string_view list : {of_mount, of_system})
    for (std::string& option : base::split(list, ','))
      if (!names_something(option) && (out.empty() || option != out.front()))
        out.push_back(std::move(option));
  return base::join(out, ",");
}

}  // namespace

MountTable::MountTable() : MountTable(proc_text("/proc/self/mountinfo")) {}

MountTable::MountTable(std::string_view mountinfo) {
  for (const std::string& line : base::split(mountinfo, '\n')) {
    // proc(5): id parent major:minor root point options [optional]... - type source super-options
    const auto words = proc_words(line);
    std::size_t dash = 6;
    while (dash < words.size() && words[dash] != "-") ++dash;
    if (dash + 1 >= words.size()) continue;
    const std::string_view system = dash + 3 < words.size() ? words[dash + 3] : "";
    points_.push_back(
        {unescaped(words[4]), std::string(words[dash + 1]), plain_options(words[5], system)});
  }
}

const MountPoint* MountTable::of(std::string_view path) const {
  const MountPoint* best = nullptr;
  for (const MountPoint& point : points_) {
    const bool below = point.path == "/" || path == point.path ||
                       (path.starts_with(point.path) && path.size() > point.path.size() &&
                        path[point.path.size()] == '/');
    // A later mount at the same place hides the one before.
    if (below && (best == nullptr || point.path.size() >= best->path.size())) best = &point;
  }
  return best;
}

}  // namespace stallcast::calibration::live
