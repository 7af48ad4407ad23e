#include "ui/desktop/patch.hpp"

#include <QRegularExpression>
#include <QStringList>
#include <algorithm>

namespace stallcast::desktop {
namespace {

struct Place {
  QString path, pointer;
};

QString token(QString key) {
  return u'/' + key.replace(u'~', QLatin1String("~0")).replace(u'/', QLatin1String("~1"));
}

void compare(const JsonNode& before, const JsonNode& after, const Place& at,
             std::vector<TextChange>& out) {
  if (compact(before) == compact(after)) return;
  const bool objects = before.kind == JsonNode::Kind::object && after.kind == before.kind;
  const bool lists = before.kind == JsonNode::Kind::array && after.kind == before.kind &&
                     before.children.size() == after.children.size();
  if (!objects && !lists) {
    out.push_back({at.path, at.pointer, compact(before), compact(after)});
    return;
  }
  const QString dot = at.path.isEmpty() ? QString() : QStringLiteral(".");
  if (lists) {
    for (std::size_t i = 0; i < before.children.size(); ++i) {
      const JsonNode* id = after.children[i].member(QStringLiteral("id"));
      const QString name = id != nullptr ? id->literal : QString::number(i);
      compare(before.children[i], after.children[i],
              {at.path + u'[' + name + u']', at.pointer + u'/' + QString::number(i)}, out);
    }
    return;
  }
  for (const JsonNode& child : before.children) {
    const Place place{at.path + dot + child.key, at.pointer + token(child.key)};
    if (const JsonNode* other = after.member(child.key); other != nullptr)
      compare(child, *other, place, out);
    else
      out.push_back({place.path, place.pointer, compact(child), {}});
  }
  for (const JsonNode& child : after.children)
    if (before.member(child.key) == nullptr)
      out.push_back({at.path + dot + child.key, at.pointer + token(child.key), {}, compact(child)});
}

/// One side may be absent.
void compare_values(const JsonNode* before, const JsonNode* after, const QString& path,
                    std::vector<TextChange>& out) {
  using Kind = JsonNode::Kind;
  const Kind kind = after != nullptr ? after->kind : before->kind;
  const bool same_kind = before == nullptr || after == nullptr || before->kind == after->kind;
  const QString was = before == nullptr ? QString() : compact(*before);
  const QString is = after == nullptr ? QString() : compact(*after);
  if (was == is) return;
  if (!same_kind || kind == Kind::text || kind == Kind::other) {
    out.push_back({path, {}, was, is});
    return;
  }
  static const std::vector<JsonNode> kNone;
  const auto& a = before == nullptr ? kNone : before->children;
  const auto& b = after == nullptr ? kNone : after->children;
  if (kind == Kind::array) {
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      const JsonNode* x = i < a.size() ? &a[i] : nullptr;
      const JsonNode* y = i < b.size() ? &b[i] : nullptr;
      const JsonNode* id = (y != nullptr ? y : x)->member(QStringLiteral("id"));
      compare_values(x, y, path + u'[' + (id ? id->literal : QString::number(i)) + u']', out);
    }
    return;
  }
  const QString dot = path.isEmpty() ? QString() : QStringLiteral(".");
  for (const JsonNode& child : a)
    compare_values(&child, after == nullptr ? nullptr : after->member(child.key),
                   path + dot + child.key, out);
  for (const JsonNode& child : b)
    if (before == nullptr || before->member(child.key) == nullptr)
      compare_values(nullptr, &child, path + dot + child.key, out);
}

}  // namespace

QString compact(const JsonNode& node) {
  QStringList parts;
  switch (node.kind) {
    case JsonNode::Kind::text:
      return quoted(node.literal);
    case JsonNode::Kind::other:
      return node.literal;
    case JsonNode::Kind::object:
      for (const JsonNode& child : node.children)
        parts << quoted(child.key) + QStringLiteral(": ") + compact(child);
      return QStringLiteral("{ %1 }").arg(parts.join(QStringLiteral(", ")));
    case JsonNode::Kind::array:
      for (const JsonNode& child : node.children) parts << compact(child);
      return u'[' + parts.join(QStringLiteral(", ")) + u']';
  }
  return {};
}

std::vector<TextChange> value_changes(const QString& before, const QString& after) {
  std::vector<TextChange> out;
  const auto a = parse_tree(before), b = parse_tree(after);
  if (a && b) compare_values(&*a, &*b, {}, out);
  return out;
}

std::vector<TextChange> changes_between(const QString& before, const QString& after) {
  std::vector<TextChange> out;
  const auto a = parse_tree(before), b = parse_tree(after);
  if (a && b) compare(*a, *b, {}, out);
  return out;
}

QString json_patch(const std::vector<TextChange>& changes) {
  QStringList lines;
  for (const TextChange& c : changes) {
    const QString path = quoted(c.pointer);
    if (c.after.isEmpty())
      lines << QStringLiteral("  { \"op\": \"remove\", \"path\": %1 }").arg(path);
    else
      lines << QStringLiteral("  { \"op\": \"%1\", \"path\": %2, \"value\": %3 }")
                   .arg(c.before.isEmpty() ? QStringLiteral("add") : QStringLiteral("replace"),
                        path, c.after);
  }
  return lines.isEmpty() ? QStringLiteral("[]\n")
                         : QStringLiteral("[\n%1\n]\n").arg(lines.join(QStringLiteral(",\n")));
}

SetOptions set_options(const std::vector<TextChange>& values) {
  static const QRegularExpression numbered(QStringLiteral(R"(\[\d+\])"));
  SetOptions out;
  for (const TextChange& c : values) {
    // "expect" is judged, and predicts nothing.
    if (c.after.isEmpty() || c.path.contains(numbered) ||
        c.path.startsWith(QLatin1String("expect"))) {
      out.left_out << c.path;
      continue;
    }
    if (c.path.endsWith(QLatin1String("].id"))) continue;  // names the item that others change
    // "storage[scratch].ost.count" is written storage.scratch.ost.count there.
    QString path = c.path, value = c.after;
    path.replace(u'[', u'.').remove(u']');
    if (path.startsWith(QLatin1String("params.")) && path.endsWith(QLatin1String(".value")))
      path.chop(6);
    if (value.startsWith(u'"')) value = value.mid(1, value.size() - 2);
    out.sets << path + u'=' + value;
  }
  return out;
}

}  // namespace stallcast::desktop
