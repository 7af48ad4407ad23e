#include "calibration/observe/formats/collective_names.hpp"

#include <array>
#include <cctype>

namespace stallcast::calibration {

std::string collective_of(std::string_view name) {
  constexpr std::array<std::string_view, 5> kPrefixes{"ncclKernel_", "ncclDevKernel_",
                                                      "nccl:", "gloo:", "mscclKernel_"};
  for (const std::string_view prefix : kPrefixes) {
    if (!name.starts_with(prefix)) continue;
    name.remove_prefix(prefix.size());
    std::string out;
    for (const char c : name) {
      if (prefix.back() == '_' ? !std::isalpha(static_cast<unsigned char>(c))
                               : !std::isalnum(static_cast<unsigned char>(c)) && c != '_')
        break;
      if (std::isupper(static_cast<unsigned char>(c)) && !out.empty()) out += '_';
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    while (out.starts_with('_')) out.erase(0, 1);
    return out.empty() ? "other" : out;
  }
  return "";
}

}  // namespace stallcast::calibration
