#include "engine/base/jsonc.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/jsonc_scan.hpp"
#include "engine/base/text.hpp"

namespace stallcast::base {
namespace {

Position position_in(const JsonDocument& document, std::size_t offset) {
  const auto next = std::upper_bound(document.lines.begin(), document.lines.end(), offset);
  return {document.file, static_cast<int>(next - document.lines.begin()),
          static_cast<int>(offset - *std::prev(next)) + 1};
}

/// The reference tokens of `pointer`, unescaped.
std::vector<std::string> tokens_of(std::string_view pointer) {
  std::vector<std::string> out;
  if (pointer.empty()) return out;
  if (pointer.front() == '/') pointer.remove_prefix(1);
  for (const std::string& token : split(pointer, '/')) out.push_back(pointer_key(token));
  return out;
}

std::atomic<std::uint64_t> parsed = 0;

}  // namespace

std::uint64_t parsed_texts() { return parsed; }

JsonDocument parse_jsonc(std::string text, std::string file, Diagnostics& diags) {
  ++parsed;
  JsonDocument document{nullptr, std::move(file), std::move(text)};
  detail::ScanResult scan = detail::scan_jsonc(document.text, {});
  document.places = std::move(scan.places);
  for (std::size_t i = 0; i < document.text.size(); ++i)
    if (document.text[i] == '\n') document.lines.push_back(i + 1);
  for (const detail::ScanFault& fault : scan.faults)
    diags.add({Severity::error, fault.code, fault.pointer, position_in(document, fault.offset),
               fault.message, fault.hint});
  if (!scan.readable) return document;
  try {
    document.root = Json::parse(scan.clean);
  } catch (const Json::parse_error& e) {
    // The scanner and the reader disagree: still the user's text, still no exception.
    const std::size_t offset = e.byte > 0 ? e.byte - 1 : 0;
    diags.add(
        {Severity::error, "syntax", "", position_in(document, offset), "not valid JSON here", ""});
  } catch (const Json::exception&) {
    diags.add({Severity::error, "number", "", position_in(document, 0),
               "a number is outside the range of a double", ""});
  }
  return document;
}

Position locate(const JsonDocument& document, std::string_view pointer, PointAt at) {
  std::optional<Place> place;
  if (document.places.empty()) {
    place = detail::scan_jsonc(document.text, tokens_of(pointer)).place;
  } else {
    auto found = document.places.find(std::string(pointer));
    for (std::string parent(pointer); found == document.places.end() && !parent.empty();) {
      parent.resize(std::min(parent.rfind('/'), parent.size() - 1));
      found = document.places.find(parent);
    }
    if (found != document.places.end()) place = found->second;
  }
  if (!place) return {document.file, 0, 0};
  return position_in(document, at == PointAt::key ? place->key : place->value);
}

std::string line_of(const JsonDocument& document, int line, std::size_t most) {
  const auto index = static_cast<std::size_t>(line - 1);
  if (line < 1 || index >= document.lines.size()) return "";
  const std::size_t begin = document.lines[index];
  std::size_t end =
      index + 1 < document.lines.size() ? document.lines[index + 1] - 1 : document.text.size();
  if (end > begin && document.text[end - 1] == '\r') --end;
  return end - begin > most ? "" : document.text.substr(begin, end - begin);
}

Position position_at(std::string_view text, std::size_t offset, std::string_view file) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return {std::string(file), static_cast<int>(line), static_cast<int>(before.size() - start) + 1};
}

std::string pointer_token(std::string_view key) {
  std::string out = "/";
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

std::string pointer_key(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const std::string_view pair = token.substr(i, 2);
    const bool escaped = pair == "~0" || pair == "~1";
    out += pair == "~1" ? '/' : token[i];
    i += escaped ? 1U : 0U;
  }
  return out;
}

std::string json_text(std::string_view text) { return one_line(Json(text)); }

std::string pointer_token(std::size_t index) { return "/" + std::to_string(index); }

}  // namespace stallcast::base
