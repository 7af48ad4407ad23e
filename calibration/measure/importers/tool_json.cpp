#include "calibration/measure/importers/tool_json.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "calibration/measure/importers/importer.hpp"
#include "calibration/measure/importers/tool_text.hpp"
#include "calibration/measure/importers/without_nan.hpp"
#include "engine/base/quantity_text.hpp"
#include "engine/base/text.hpp"

namespace stallcast::calibration {
namespace {

/// Part of a pointer: there fio writes what it was given for a job. Of "global options" on two
/// clients nobody says whose is which.
constexpr std::string_view kOptionsOfJob = "/job options/";

/// Byte after the brace that closes the object at `open`; npos when none does.
std::size_t end_of_object(std::string_view text, std::size_t open) {
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_text = false;
      }
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

std::string without_nan(std::string object) {
  if (!contains(object, "NaN") && !contains(object, "Infinity")) return object;
  std::stringbuf source(object, std::ios::in);
  WithoutNan clean(source);
  return {std::istreambuf_iterator<char>(&clean), {}};
}

}  // namespace

ToolJson::ToolJson(const ToolFile& file, const char* how)
    : file_(file.name), diagnostics_(file.diagnostics) {
  const std::string& text = file.text;
  int line = 1;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t stop = std::min(text.find('\n', begin), text.size());
    const std::size_t first = text.find_first_not_of(" \t\r\xEF\xBB\xBF", begin);
    if (first >= stop || text[first] != '{') {
      text_around_ = text_around_ || !base::trim(text.substr(begin, stop - begin)).empty();
      begin = stop + 1;
      ++line;
      continue;
    }
    const Position start{file_, line, static_cast<int>(first - begin) + 1};
    const std::size_t end = end_of_object(text, first);
    if (end == std::string::npos) {
      diagnostics_.add({Severity::error, "truncated", "", start,
                        "the text ends before the object that starts here is closed",
                        "the tool was stopped while it wrote, or the file was cut"});
      return;
    }
    Diagnostics faults;
    parts_.push_back(
        {base::parse_jsonc(without_nan(text.substr(first, end - first)), file_, faults), start,
         ""});
    for (Diagnostic& d : faults.items()) {
      if (d.code == "repeated-key") continue;
      if (d.code == "duplicate-key" && contains(d.pointer, kOptionsOfJob)) {
        d.severity = Severity::warning;
        d.hint = "the option was given twice; the tool takes the last, and so does this";
      }
      if (++faults_ > kMostFaults) break;
      if (d.position.line == 1) d.position.column += start.column - 1;
      d.position.line += start.line - 1;
      diagnostics_.add(std::move(d));
    }
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                        text.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
    begin = end;
  }
  if (parts_.size() > 1)
    for (std::size_t i = 0; i < parts_.size(); ++i)
      parts_[i].prefix = "run " + std::to_string(i + 1) + ": ";
  if (parts_.empty())
    diagnostics_.add({Severity::error, "syntax", "", Position{file_, 1, 1},
                      "there is no JSON object here",
                      *how != '\0' ? how : "an object starts with { on a line of its own"});
}

std::vector<ToolNode> ToolJson::roots() {
  std::vector<ToolNode> out;
  for (const ToolNode::Part& part : parts_)
    if (part.document.root.is_object())
      out.push_back(ToolNode(this, &part, &part.document.root, "", ""));
  return out;
}

void ToolJson::collect(const base::Json& json, const std::string& pattern,
                       std::map<std::string, std::vector<std::string>>& out) const {
  if (json.is_array()) {
    for (const base::Json& element : json) collect(element, pattern + "[]", out);
    return;
  }
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    const std::string at = pattern + (pattern.empty() ? "" : ".") + key;
    if (passed_.count(at) != 0) continue;
    if (read_.count(at) != 0) {
      collect(value, at, out);
      continue;
    }
    std::vector<std::string>& names = out[pattern];
    if (std::find(names.begin(), names.end(), key) == names.end()) names.push_back(key);
  }
}

std::vector<std::string> ToolJson::unread() const {
  constexpr std::size_t kMostNames = 40;
  std::map<std::string, std::vector<std::string>> groups;
  for (const ToolNode::Part& part : parts_) collect(part.document.root, "", groups);
  std::vector<std::string> out;
  for (auto& [pattern, names] : groups) {
    const std::size_t all = names.size();
    if (all > kMostNames) {
      names.resize(kMostNames);
      names.push_back(std::to_string(all - kMostNames) + " more");
    }
    out.push_back((pattern.empty() ? "" : pattern + ": ") + base::join(names, ", "));
  }
  if (text_around_) out.emplace_back("text before or after the JSON");
  return out;
}

void ToolNode::report(Severity severity, std::string_view code, std::string message,
                      std::string hint) const {
  if (part_ == nullptr || ++owner_->faults_ > kMostFaults) return;
  Position position = base::locate(part_->document, pointer_);
  if (position.line == 1) position.column += part_->start.column - 1;
  position.line += part_->start.line - 1;
  owner_->diagnostics_.add({severity, std::string(code), pointer_, std::move(position),
                            std::move(message), std::move(hint)});
}

void ToolNode::error(std::string_view code, std::string message, std::string hint) const {
  report(Severity::error, code, std::move(message), std::move(hint));
}

void ToolNode::warn(std::string_view code, std::string message, std::string hint) const {
  report(Severity::warning, code, std::move(message), std::move(hint));
}

ToolNode ToolNode::at(const std::string& key) const {
  if (!is_object()) return {};
  const auto it = json_->find(key);
  if (it == json_->end()) return {};
  std::string pattern = pattern_ + (pattern_.empty() ? "" : ".") + key;
  owner_->read_.insert(pattern);
  return {owner_, part_, &*it, pointer_ + base::pointer_token(key), std::move(pattern)};
}

std::vector<ToolNode> ToolNode::elements() const {
  std::vector<ToolNode> out;
  if (!is_list()) return out;
  for (std::size_t i = 0; i < json_->size(); ++i)
    out.push_back(
        {owner_, part_, &(*json_)[i], pointer_ + base::pointer_token(i), pattern_ + "[]"});
  return out;
}

std::vector<ToolNode> ToolNode::list(const std::string& key) const {
  const ToolNode node = at(key);
  if (node && !node.is_list()) node.error("type", "\"" + key + "\" takes a list");
  return node.elements();
}

std::vector<std::pair<std::string, ToolNode>> ToolNode::members() const {
  std::vector<std::pair<std::string, ToolNode>> out;
  if (!is_object()) return out;
  for (const auto& [key, value] : json_->items()) out.emplace_back(key, at(key));
  return out;
}

std::optional<double> ToolNode::number() const {
  if (json_ == nullptr || json_->is_null()) return std::nullopt;
  if (json_->is_number()) return json_->get<double>();
  if (json_->is_string())
    if (const auto value = tool_number(json_->get_ref<const std::string&>())) return value;
  error("number", "this takes a number", "take the file as the tool wrote it");
  return std::nullopt;
}

std::optional<double> ToolNode::number(const std::string& key) const { return at(key).number(); }

std::string ToolNode::text() const {
  if (json_ == nullptr || json_->is_null()) return "";
  if (json_->is_string()) return json_->get<std::string>();
  if (json_->is_number()) return base::shortest(json_->get<double>());
  if (json_->is_boolean()) return json_->get<bool>() ? "true" : "false";
  error("type", "this takes a text");
  return "";
}

std::string ToolNode::text(const std::string& key) const { return at(key).text(); }

std::map<std::string, std::string> ToolNode::texts(const std::string& key) const {
  std::map<std::string, std::string> out;
  const ToolNode node = at(key);
  if (node && !node.is_object()) node.error("type", "\"" + key + "\" takes an object");
  for (const auto& [name, value] : node.members()) out[name] = value.text();
  return out;
}

void ToolNode::pass(const std::string& key) const {
  if (const ToolNode node = at(key)) owner_->passed_.insert(node.pattern_);
}

std::string ToolNode::place() const {
  if (part_ == nullptr) return "";
  std::string out;
  for (const std::string& token :
       base::split(std::string_view(pointer_).substr(pointer_.empty() ? 0 : 1), '/')) {
    const bool index = !token.empty() && token.find_first_not_of("0123456789") == token.npos;
    if (index && !out.empty()) {
      out += "[" + token + "]";
    } else {
      out += (out.empty() ? "" : ".") + token;
    }
  }
  return part_->prefix + out;
}

}  // namespace stallcast::calibration
