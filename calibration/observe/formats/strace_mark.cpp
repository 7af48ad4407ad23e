#include "calibration/observe/formats/strace_mark.hpp"

#include <array>
#include <string>
#include <utility>

#include "calibration/observe/formats/strace_line.hpp"
#include "engine/base/split_mix.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration::strace {
namespace {

constexpr std::string_view kMarks = "/.stallcast/";
constexpr std::array<std::pair<std::string_view, LoaderMark>, 7> kMarkNames{
    {{"pass", LoaderMark::pass},
     {"want", LoaderMark::want},
     {"take", LoaderMark::take},
     {"step", LoaderMark::step},
     {"ask", LoaderMark::ask},
     {"start", LoaderMark::start},
     {"ready", LoaderMark::ready}}};

/// One number of all that name a batch; never 0.
std::uint64_t batch_of(std::string_view name) {
  std::uint64_t state = 0;
  for (const char c : name) {
    state += static_cast<unsigned char>(c);
    state = base::split_mix(state);
  }
  return state == 0 ? 1 : state;
}

}  // namespace

bool strace_mark(const std::vector<std::string_view>& arguments, Operation& out) {
  for (const std::string_view argument : arguments) {
    if (argument.find(kMarks) == argument.npos) continue;
    const auto path = strace_text(argument);
    if (!path || !path->starts_with(kMarks)) continue;
    const std::string_view name = std::string_view(*path).substr(kMarks.size());
    const std::size_t end = std::min(name.find('/'), name.size());
    for (const auto& [word, mark] : kMarkNames) {
      if (word != name.substr(0, end)) continue;
      out.kind = OperationKind::mark;
      out.mark = mark;
      out.batch = end < name.size() ? batch_of(name.substr(end)) : 0;
      return true;
    }
  }
  return false;
}

}  // namespace stallcast::calibration::strace
