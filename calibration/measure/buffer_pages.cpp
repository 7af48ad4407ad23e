#include "calibration/measure/buffer_pages.hpp"

#include <set>
#include <tuple>

namespace stallcast::calibration {
namespace {

auto series_of(const Measurement& m) { return std::tuple(m.operation, m.pattern, m.path); }

bool past_page_cache(const Measurement& m) {
  return m.subject == Subject::io && m.direct.value_or(true);
}

}  // namespace

std::string_view name_of(BufferPages pages) {
  return pages == BufferPages::huge ? "huge" : "small";
}

std::optional<BufferPages> parse_buffer_pages(std::string_view name) {
  for (const BufferPages pages : {BufferPages::huge, BufferPages::small})
    if (name == name_of(pages)) return pages;
  return std::nullopt;
}

std::optional<BufferPages> buffer_pages_of(const Measurement& m) {
  if (!past_page_cache(m)) return std::nullopt;
  if (const auto ours = m.options.find("buffers"); ours != m.options.end()) {
    if (ours->second == "hugetlb" || ours->second == "thp") return BufferPages::huge;
    if (ours->second == "pages") return BufferPages::small;
  }
  // fio's malloc may be on either: transparent huge pages come as the kernel sees fit.
  const auto fio = m.options.find("iomem");
  if (fio != m.options.end() && fio->second.find("huge") != std::string::npos)
    return BufferPages::huge;
  return std::nullopt;
}

std::string choose_buffers(std::vector<MeasurementSet>& sets, std::optional<BufferPages> asked) {
  bool huge = false, small = false;
  for (const MeasurementSet& set : sets)
    for (const Measurement& m : set.measurements) {
      huge = huge || buffer_pages_of(m) == BufferPages::huge;
      small = small || buffer_pages_of(m) == BufferPages::small;
    }
  if (!huge && !small) return "";
  const BufferPages chosen = asked.value_or(huge ? BufferPages::huge : BufferPages::small);
  std::set<decltype(series_of(Measurement()))> known;
  for (const MeasurementSet& set : sets)
    for (const Measurement& m : set.measurements)
      if (buffer_pages_of(m) == chosen) known.insert(series_of(m));
  std::size_t left_out = 0;
  for (MeasurementSet& set : sets)
    for (Measurement& m : set.measurements) {
      if (!past_page_cache(m)) continue;
      const auto pages = buffer_pages_of(m);
      if (pages ? pages == chosen : !known.contains(series_of(m))) continue;
      m.flags.emplace_back("other-buffers");
      ++left_out;
    }
  std::string out = "on " + std::string(name_of(chosen)) + " pages";
  if (left_out > 0)
    out += "; " + std::to_string(left_out) + " records with others, or that do not say, left out";
  return out;
}

}  // namespace stallcast::calibration
