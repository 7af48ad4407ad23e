#include "engine/base/jsonc.hpp"

#include "fuzz/target.hpp"

namespace stallcast::fuzz {
namespace {

constexpr int kMostPointers = 300;

void locate_all(const base::JsonDocument& document, const base::Json& node,
                const std::string& pointer, int& left) {
  if (left-- <= 0) return;
  for (const base::PointAt at : {base::PointAt::value, base::PointAt::key}) {
    const Position place = base::locate(document, pointer, at);
    require(place.line > 0 && place.column > 0, "what is in a text has a place in it");
    (void)base::line_of(document, place.line, 200);
  }
  std::size_t index = 0;
  for (const auto& [key, value] : node.items())
    if (node.is_structured())
      locate_all(
          document, value,
          pointer + (node.is_array() ? base::pointer_token(index++) : base::pointer_token(key)),
          left);
}

}  // namespace

void fuzz_jsonc(std::string_view input) {
  Diagnostics faults;
  const base::JsonDocument document = base::parse_jsonc(std::string(input), "input.json", faults);
  check_faults(faults, "input.json");
  if (faults.has_errors()) return;
  int left = kMostPointers;
  locate_all(document, document.root, "", left);
  (void)base::locate(document, std::string("/a/0/") + std::string(input.substr(0, 40)));
  Diagnostics none;
  const base::JsonDocument again = base::parse_jsonc(base::one_line(document.root), "", none);
  require(!none.has_errors(), "what is printed reads back");
}

}  // namespace stallcast::fuzz
