#include "calibration/observe/live/proc_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>

#include "engine/base/text.hpp"

namespace stallcast::calibration::live {

std::string proc_text(const std::string& path) {
  std::string out;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return out;
  std::array<char, 8192> part{};
  for (ssize_t n = 0; (n = read(fd, part.data(), part.size())) > 0;)
    out.append(part.data(), static_cast<std::size_t>(n));
  close(fd);
  return out;
}

std::string proc_line(const std::string& path) {
  const std::string text = proc_text(path);
  return std::string(base::trim(text.substr(0, text.find('\n'))));
}

std::string_view proc_value(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t colon = line.find(':');
    if (colon != line.npos && base::trim(line.substr(0, colon)) == key)
      return base::trim(line.substr(colon + 1));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

std::vector<std::string_view> proc_words(std::string_view text) {
  std::vector<std::string_view> out;
  constexpr std::string_view kBlank = " \t\n";
  for (std::size_t at = 0; (at = text.find_first_not_of(kBlank, at)) != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

double proc_number(std::string_view word) {
  double value = 0.0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

std::vector<std::int64_t> proc_numbers(const std::string& folder) {
  std::vector<std::int64_t> out;
  DIR* dir = opendir(folder.c_str());
  if (dir == nullptr) return out;
  while (const dirent* entry = readdir(dir)) {
    const std::string_view name = entry->d_name;
    std::int64_t number = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
    if (parsed.ec == std::errc() && parsed.ptr == name.data() + name.size()) out.push_back(number);
  }
  closedir(dir);
  return out;
}

std::string proc_link(const std::string& path) {
  std::array<char, 4096> name{};
  const ssize_t n = readlink(path.c_str(), name.data(), name.size());
  return n > 0 ? std::string(name.data(), static_cast<std::size_t>(n)) : "";
}

}  // namespace stallcast::calibration::live
