#include "calibration/observed_job/commented_json.hpp"

#include <algorithm>
#include <string_view>

#include "engine/base/text.hpp"

namespace stallcast::calibration {
namespace {

using base::Json;

constexpr std::size_t kWidth = 100;

class Pretty {
 public:
  explicit Pretty(const Comments& comments) : comments_(comments) {}

  std::string print(const Json& json) {
    comment("", 0);
    write(json, 0, "");
    return out_ + "\n";
  }

 private:
  void comment(const std::string& at, std::size_t indent) {
    const auto found = comments_.find(at);
    if (found == comments_.end()) return;
    for (const std::string& line : base::split(found->second, '\n')) {
      std::string row;
      for (const std::string& word : base::split(line, ' ')) {
        if (!row.empty() && indent + 4 + row.size() + word.size() > kWidth) {
          put(row, indent);
          row.clear();
        }
        row += (row.empty() ? "" : " ") + word;
      }
      put(row, indent);
    }
  }
  void put(const std::string& row, std::size_t indent) {
    out_ += std::string(indent, ' ') + (row.empty() ? "//" : "// " + row) + "\n";
  }

  [[nodiscard]] bool has_comments_below(const std::string& at) const {
    const auto next = comments_.upper_bound(at + "/");
    return next != comments_.end() && next->first.starts_with(at + "/");
  }

  static std::string flat(const Json& node) {
    if (!node.is_object() && !node.is_array()) return base::one_line(node);
    if (node.empty()) return node.is_object() ? "{}" : "[]";
    std::string out = node.is_object() ? "{ " : "[ ";
    const char* before = "";
    for (const auto& [key, child] : node.items()) {
      out +=
          before + (node.is_object() ? base::json_text(key) + ": " : std::string()) + flat(child);
      before = ", ";
    }
    return out + (node.is_object() ? " }" : " ]");
  }

  void write(const Json& node, std::size_t indent, const std::string& at) {
    const bool nested = node.is_object() || node.is_array();
    const std::string line = flat(node);
    if (!nested || (indent > 0 && indent + line.size() <= kWidth && !has_comments_below(at))) {
      out_ += line;
      return;
    }
    out_ += node.is_object() ? "{\n" : "[\n";
    std::size_t left = node.size(), index = 0;
    for (const auto& [key, child] : node.items()) {
      const std::string inner =
          at + (node.is_object() ? base::pointer_token(key) : base::pointer_token(index++));
      comment(inner, indent + 2);
      out_ += std::string(indent + 2, ' ');
      if (node.is_object()) out_ += base::json_text(key) + ": ";
      write(child, indent + 2, inner);
      out_ += --left > 0 ? ",\n" : "\n";
    }
    out_ += std::string(indent, ' ') + (node.is_object() ? "}" : "]");
  }

  const Comments& comments_;
  std::string out_;
};

}  // namespace

std::string commented_json(const Json& json, const Comments& comments) {
  return Pretty(comments).print(json);
}

}  // namespace stallcast::calibration
