#include "ui/desktop/text_edit.hpp"

#include <algorithm>
#include <span>

namespace stallcast::desktop {
namespace {

/// What has to be written for the steps that do not exist yet.
QString nested(std::span<const PathStep> steps, const QString& literal) {
  if (steps.empty()) return literal;
  const PathStep& step = steps.front();
  QString value;
  if (step.id.isEmpty()) {
    value = nested(steps.subspan(1), literal);
  } else {
    const QString rest = nested(steps.subspan(1), literal);
    const QString body = rest.startsWith(u'{') ? rest.mid(1, rest.size() - 2).trimmed() : QString();
    value = QStringLiteral("[ { \"id\": %1%2%3 } ]")
                .arg(quoted(step.id), body.isEmpty() ? QString() : QStringLiteral(", "), body);
  }
  return QStringLiteral("{ %1: %2 }").arg(quoted(step.key), value);
}

/// The white space before `at` in its line.
QString indent_of(const QString& text, qsizetype at) {
  const qsizetype line = at == 0 ? 0 : text.lastIndexOf(u'\n', at - 1) + 1;
  qsizetype end = line;
  while (end < at && (text[end] == u' ' || text[end] == u'\t')) ++end;
  return text.mid(line, end - line);
}

/// Where a comma and a comment that belong to a value in front of `at` end.
qsizetype after_comma_and_comment(const QString& text, qsizetype at, bool& has_comma) {
  const auto skip_blanks = [&](qsizetype from) {
    while (from < text.size() && (text[from] == u' ' || text[from] == u'\t')) ++from;
    return from;
  };
  qsizetype end = at;
  qsizetype next = skip_blanks(at);
  has_comma = next < text.size() && text[next] == u',';
  if (has_comma) end = next + 1;
  next = skip_blanks(end);
  if (text.mid(next, 2) == QLatin1String("//")) {
    const qsizetype line = text.indexOf(u'\n', next);
    end = line < 0 ? text.size() : line;
  } else if (text.mid(next, 2) == QLatin1String("/*")) {
    const qsizetype close = text.indexOf(QLatin1String("*/"), next);
    if (close >= 0) end = close + 2;
  }
  return end;
}

/// Adds `member` as the last child of an object or list.
TextEdit add_child(const QString& text, const JsonNode& parent, const QString& member) {
  if (parent.children.empty()) {
    const qsizetype inside = parent.begin + 1;
    return {inside, text.mid(inside, 0), QStringLiteral(" %1 ").arg(member)};
  }
  const JsonNode& last = parent.children.back();
  const bool own_line = text.mid(last.end, parent.end - last.end).contains(u'\n');
  bool has_comma = false;
  const qsizetype end = after_comma_and_comment(text, last.end, has_comma);
  const QString between = text.mid(last.end, end - last.end);
  // A comment to the end of the line must not swallow what follows.
  const bool line_comment = between.contains(QLatin1String("//"));
  const QString lead = own_line || line_comment
                           ? QStringLiteral("\n") + indent_of(text, last.key_begin)
                           : QStringLiteral(" ");
  return {last.end, between,
          (has_comma ? QString() : QStringLiteral(",")) + between + lead + member};
}

}  // namespace

TextEdit edit_between(const QString& before, const QString& after) {
  const qsizetype shorter = std::min(before.size(), after.size());
  qsizetype front = 0;
  while (front < shorter && before[front] == after[front]) ++front;
  qsizetype back = 0;
  while (back < shorter - front &&
         before[before.size() - 1 - back] == after[after.size() - 1 - back])
    ++back;
  return {front, before.mid(front, before.size() - front - back),
          after.mid(front, after.size() - front - back)};
}

QString apply(const TextEdit& edit, const QString& text) {
  QString out = text;
  return out.replace(edit.at, edit.removed.size(), edit.inserted);
}

TextEdit inverse(const TextEdit& edit) { return {edit.at, edit.inserted, edit.removed}; }

std::optional<TextEdit> set_value(const QString& text, const JsonNode& root,
                                  const ScenarioPath& path, const QString& literal) {
  if (path.empty()) return std::nullopt;
  const JsonNode* node = &root;
  const std::span<const PathStep> steps(path);
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (node->kind != JsonNode::Kind::object) return std::nullopt;
    const JsonNode* member = node->member(path[i].key);
    if (member == nullptr) {
      const QString all = nested(steps.subspan(i), literal);
      return add_child(text, *node, all.mid(1, all.size() - 2).trimmed());
    }
    node = member;
    if (path[i].id.isEmpty()) continue;
    const JsonNode* item = member->item(path[i].id);
    if (item == nullptr) {
      if (member->kind != JsonNode::Kind::array) return std::nullopt;
      const QString list = nested(steps.subspan(i), literal);
      const qsizetype open = list.indexOf(u'[');
      return add_child(text, *member,
                       list.mid(open + 1, list.lastIndexOf(u']') - open - 1).trimmed());
    }
    node = item;
  }
  return TextEdit{node->begin, text.mid(node->begin, node->end - node->begin), literal};
}

std::optional<TextEdit> append_item(const QString& text, const JsonNode& root,
                                    const ScenarioPath& path, const QString& literal) {
  const JsonNode* list = find(root, path);
  if (list == nullptr) return set_value(text, root, path, QStringLiteral("[ %1 ]").arg(literal));
  if (list->kind != JsonNode::Kind::array) return std::nullopt;
  return add_child(text, *list, literal);
}

std::optional<TextEdit> remove_value(const QString& text, const JsonNode& root,
                                     const ScenarioPath& path) {
  if (path.empty()) return std::nullopt;
  ScenarioPath above = path;
  const JsonNode* node = find(root, path);
  above.pop_back();
  const JsonNode* parent = find(root, above);
  if (node == nullptr || parent == nullptr || !path.back().id.isEmpty()) return std::nullopt;
  qsizetype begin = node->key_begin;
  qsizetype end = node->end;
  if (node != &parent->children.back()) {
    end = (node + 1)->key_begin;
  } else if (parent->children.size() > 1) {
    begin = (node - 1)->end;
  }
  return TextEdit{begin, text.mid(begin, end - begin), QString()};
}

}  // namespace stallcast::desktop
