#include "scenarios/importers/yaml_fields.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <sstream>
#include <vector>

#include "engine/base/text.hpp"

namespace stallcast::scenarios {
namespace {

// No workload file comes near these; they keep aliases that refer to themselves, or multiply, from
// filling the memory.
constexpr int kMostLevels = 16;
constexpr std::size_t kMostFields = 10'000, kMostMerged = 100;

/// The key of what a mapping takes over from others; its own keys win.
/// [https://yaml.org/type/merge.html]
constexpr const char* kMerge = "<<";

using FieldMap = std::map<std::string, YamlField, std::less<>>;

Position place(const YAML::Mark& mark, const std::string& file) {
  if (mark.is_null()) return {file, 0, 0};
  return {file, mark.line + 1, mark.column + 1};
}

void report(Diagnostics& diags, std::string code, std::string pointer, Position position,
            std::string message, std::string hint = {}) {
  diags.add({Severity::error, std::move(code), std::move(pointer), std::move(position),
             std::move(message), std::move(hint)});
}

class Flattener {
 public:
  Flattener(const std::string& file, FieldMap& fields, Diagnostics& diags)
      : file_(file), fields_(fields), diags_(diags) {}

  void mapping(const YAML::Node& node, const std::string& prefix, int level) {
    std::set<std::string> seen, none;
    members(node, prefix, level, none, seen);
    std::vector<YAML::Node> merged;
    add_merged(node, prefix, level, merged);
    for (const YAML::Node& from : merged) {
      std::set<std::string> own;
      members(from, prefix, level, seen, own);
      seen.merge(own);
    }
  }

 private:
  /// The members of `node` by themselves, but those that `better` has, which was there before.
  void members(const YAML::Node& node, const std::string& prefix, int level,
               const std::set<std::string>& better, std::set<std::string>& seen) {
    for (const auto& member : node) {
      const Position where = place(member.first.Mark(), file_);
      if (!member.first.IsScalar()) {
        report(diags_, "yaml", pointer_of(prefix), where, "a key must be plain text");
        continue;
      }
      if (better.contains(member.first.Scalar())) continue;
      const std::string key =
          prefix.empty() ? member.first.Scalar() : prefix + "." + member.first.Scalar();
      if (!seen.insert(member.first.Scalar()).second) {
        report(diags_, "duplicate-key", pointer_of(key), where, "\"" + key + "\" is given twice",
               "leave one of them out");
        continue;
      }
      if (member.first.Scalar() != kMerge) value(member.second, key, where, level);
    }
  }

  /// What "<<" brings into `node`, a mapping or a list of them, what wins first: what these merge
  /// themselves comes after them.
  void add_merged(const YAML::Node& node, const std::string& prefix, int level,
                  std::vector<YAML::Node>& out) {
    const YAML::Node from = node[kMerge];
    if (!from.IsDefined() || from.IsNull()) return;
    const Position where = place(from.Mark(), file_);
    const auto add = [&](const YAML::Node& one) {
      if (!one.IsMap())
        return report(diags_, "yaml", pointer_of(prefix), where,
                      "\"<<\" takes a mapping, or a list of them");
      if (level > kMostLevels || out.size() > kMostMerged) return too_large(prefix, where);
      out.push_back(one);
      add_merged(one, prefix, level + 1, out);
    };
    if (!from.IsSequence()) return add(from);
    for (const auto& one : from)
      if (!full_) add(one);
  }

  void too_large(const std::string& key, const Position& where) {
    if (!full_) report(diags_, "yaml", pointer_of(key), where, "the document is too large");
    full_ = true;
  }

  void value(const YAML::Node& node, const std::string& key, const Position& key_place, int level) {
    if (fields_.size() > kMostFields || level > kMostLevels) return too_large(key, key_place);
    if (node.IsMap()) return mapping(node, key, level + 1);
    if (node.IsNull()) return;
    YamlField field{.key = key, .text = {}, .list = {}, .position = place(node.Mark(), file_)};
    if (node.IsSequence()) {
      field.is_list = true;
      for (const auto& item : node) field.list.push_back(item.IsScalar() ? item.Scalar() : "...");
    } else {
      field.text = node.Scalar();
    }
    if (field.text.find("${") != std::string::npos)
      return report(diags_, "interpolation", pointer_of(key), field.position,
                    "\"" + field.text + "\" refers to another value",
                    "write the value itself, or give it as ++workload." + key + "=VALUE");
    fields_.insert_or_assign(key, std::move(field));
  }

  const std::string& file_;
  FieldMap& fields_;
  Diagnostics& diags_;
  bool full_ = false;
};

/// Counts documents, no further than it takes to know that there are several: of some texts that
/// are not YAML yaml-cpp reads empty documents without end.
class DocumentCount : public YAML::EventHandler {
 public:
  static constexpr int kSeveral = 2;
  struct Several {};

  [[nodiscard]] static int of(const std::string& text) {
    std::istringstream in(text);
    YAML::Parser parser(in);
    DocumentCount count;
    try {
      while (parser.HandleNextDocument(count)) continue;
    } catch (const Several&) {
    }
    return count.begun_;
  }

 private:
  void OnDocumentStart(const YAML::Mark&) override {
    if (++begun_ == kSeveral) throw Several();
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

  int begun_ = 0;
};

std::string without_wrapper(std::string_view key, std::string_view wrapper) {
  if (key.size() > wrapper.size() && key.starts_with(wrapper) && key[wrapper.size()] == '.')
    key.remove_prefix(wrapper.size() + 1);
  return std::string(key);
}

}  // namespace

std::string pointer_of(std::string_view dotted) {
  std::string out;
  if (dotted.empty()) return out;
  for (const std::string& part : base::split(dotted, '.')) out += "/" + part;
  return out;
}

YamlFields::YamlFields(const std::string& text, const std::string& file, std::string_view wrapper,
                       Diagnostics& diags) {
  try {
    const bool several = DocumentCount::of(text) == DocumentCount::kSeveral;
    const YAML::Node root = several ? YAML::Node() : YAML::Load(text);
    if (!root.IsMap()) {
      report(diags, "yaml", "", {file, 1, 1},
             several ? "there is more than one document" : "this is not a mapping of sections",
             "a workload file has sections such as dataset, reader and train");
      return;
    }
    const YAML::Node inner = root[std::string(wrapper)];
    Flattener flattener(file, fields_, diags);
    if (root.size() == 1 && inner.IsDefined() && inner.IsMap())
      flattener.mapping(inner, "", 0);
    else
      flattener.mapping(root, "", 0);
  } catch (const YAML::Exception& fault) {
    report(diags, "syntax", "", place(fault.mark, file), "not valid YAML: " + fault.msg);
  }
}

void YamlFields::set(const std::string& assignment, std::string_view wrapper, Diagnostics& diags) {
  const std::size_t start = assignment.find_first_not_of('+');
  const std::size_t equals = assignment.find('=');
  const Position where{assignment, 0, 0};
  if (start == std::string::npos || equals == std::string::npos || equals <= start)
    return report(diags, "override", "", where, "\"" + assignment + "\" sets nothing",
                  "write ++workload.reader.read_threads=8");
  const std::string key =
      without_wrapper(std::string_view(assignment).substr(start, equals - start), wrapper);
  std::string value = assignment.substr(equals + 1);
  if (value.find_first_of("{[$") != std::string::npos)
    return report(diags, "override", pointer_of(key), where,
                  "\"" + value + "\" is not a plain value", "set one plain value a time");
  // A distribution that was given as a mapping is replaced as a whole.
  std::erase_if(fields_, [&](const auto& item) { return item.first.starts_with(key + "."); });
  YamlField field{.key = key, .text = std::move(value), .list = {}, .position = where};
  fields_.insert_or_assign(key, std::move(field));
}

void YamlFields::alias(std::string_view old_key, std::string_view key, Diagnostics& diags) {
  const auto it = fields_.find(old_key);
  if (it == fields_.end()) return;
  if (has(key)) {
    diags.add({Severity::warning, "duplicate-key", pointer_of(old_key), it->second.position,
               "\"" + std::string(old_key) + "\" is the old name of \"" + std::string(key) +
                   "\", which is given too and wins",
               "leave one of them out"});
    return;
  }
  auto node = fields_.extract(it);
  node.key() = std::string(key);
  node.mapped().key = std::string(key);
  fields_.insert(std::move(node));
}

const YamlField* YamlFields::take(std::string_view key) {
  const auto it = fields_.find(key);
  if (it == fields_.end()) return nullptr;
  it->second.used = true;
  return &it->second;
}

const YamlField* YamlFields::scalar(std::string_view key, std::string_view wanted,
                                    Diagnostics& diags) {
  const YamlField* field = take(key);
  if (field == nullptr || !field->is_list) return field;
  report(diags, "value", pointer_of(key), field->position,
         "\"" + std::string(key) + "\" takes " + std::string(wanted) + ", not a list");
  return nullptr;
}

std::optional<double> YamlFields::number(std::string_view key, Diagnostics& diags) {
  const YamlField* field = scalar(key, "a number", diags);
  if (field == nullptr) return std::nullopt;
  double value = 0.0;
  const char* end = field->text.data() + field->text.size();
  const char* begin = field->text.data() + (field->text.starts_with('+') ? 1 : 0);
  const auto [rest, fault] = std::from_chars(begin, end, value);
  if (fault == std::errc() && rest == end && std::isfinite(value)) return value;
  report(diags, "value", pointer_of(key), field->position,
         "\"" + field->text + "\" is not a number", "sizes are in bytes, times in seconds");
  return std::nullopt;
}

std::optional<std::int64_t> YamlFields::whole(std::string_view key, Diagnostics& diags) {
  const std::optional<double> value = number(key, diags);
  if (!value) return std::nullopt;
  if (*value == std::floor(*value) && std::abs(*value) < 9e15)
    return static_cast<std::int64_t>(*value);
  const YamlField* field = take(key);
  report(diags, "value", pointer_of(key), field->position,
         "\"" + field->text + "\" is not a whole number");
  return std::nullopt;
}

std::optional<bool> YamlFields::boolean(std::string_view key, Diagnostics& diags) {
  static constexpr std::array kTrue{"true", "True", "TRUE", "yes", "Yes", "on", "On"};
  static constexpr std::array kFalse{"false", "False", "FALSE", "no", "No", "off", "Off"};
  const YamlField* field = scalar(key, "true or false", diags);
  if (field == nullptr) return std::nullopt;
  for (const char* word : kTrue)
    if (field->text == word) return true;
  for (const char* word : kFalse)
    if (field->text == word) return false;
  report(diags, "value", pointer_of(key), field->position,
         "\"" + field->text + "\" is neither True nor False");
  return std::nullopt;
}

std::optional<std::string> YamlFields::text(std::string_view key, Diagnostics& diags) {
  const YamlField* field = scalar(key, "a text", diags);
  if (field == nullptr) return std::nullopt;
  return field->text;
}

}  // namespace stallcast::scenarios
