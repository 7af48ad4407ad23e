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

/// Makes the tree of a text without a fault. The reader of nlohmann/json looks for each key among
/// those before it, which takes seconds where an object has many (a result of 30,000 figures); here
/// the scanner has looked for keys that are there twice.
class TreeMaker : public nlohmann::json_sax<Json> {
 public:
  explicit TreeMaker(Json& root) : root_(root) {}
  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // no text has it
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  Json& added(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return open_.back()->back();
    }
    auto& members = open_.back()->get_ref<Json::object_t&>();
    members.emplace_back(std::move(key_), std::move(value));
    return members.back().second;
  }
  bool put(Json value) {
    added(std::move(value));
    return true;
  }
  bool open(Json value) {
    open_.push_back(&added(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json& root_;
  std::vector<Json*> open_;  ///< nothing is added to one while another lies in it
  std::string key_;
};

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
    TreeMaker maker(document.root);
    if (!scan.faults.empty() || !Json::sax_parse(scan.clean, &maker))
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
