#include "ui/desktop/variant.hpp"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <algorithm>

#include "ui/desktop/patch.hpp"
#include "ui/desktop/saved_file.hpp"

namespace stallcast::desktop {
namespace {

bool is_list_with_ids(const JsonNode& node) {
  return node.kind == JsonNode::Kind::array && !node.children.empty() &&
         std::all_of(node.children.begin(), node.children.end(), [](const JsonNode& item) {
           return item.member(QStringLiteral("id")) != nullptr;
         });
}

QString member_text(const QString& key, const QString& value) {
  return quoted(key) + QStringLiteral(": ") + value;
}

/// The members of an object that differ, as text.
QStringList changed_members(const JsonNode& before, const JsonNode& after, const QString& path,
                            QStringList& left_out);

/// What is to be written over `before` to have `after`.
QString changed_value(const JsonNode& before, const JsonNode& after, const QString& path,
                      QStringList& left_out) {
  if (before.kind == JsonNode::Kind::object && after.kind == before.kind)
    return QStringLiteral("{ %1 }").arg(
        changed_members(before, after, path, left_out).join(QStringLiteral(", ")));
  if (!is_list_with_ids(before) || !is_list_with_ids(after)) return compact(after);
  QStringList items;
  for (const JsonNode& item : after.children) {
    const QString& id = item.member(QStringLiteral("id"))->literal;
    const JsonNode* known = before.item(id);
    if (known == nullptr) {
      items << compact(item);
    } else if (compact(*known) != compact(item)) {
      QStringList members{member_text(QStringLiteral("id"), quoted(id))};
      members << changed_members(*known, item, path + u'[' + id + u']', left_out);
      items << QStringLiteral("{ %1 }").arg(members.join(QStringLiteral(", ")));
    }
  }
  for (const JsonNode& item : before.children) {
    const QString& id = item.member(QStringLiteral("id"))->literal;
    if (after.item(id) == nullptr) left_out << path + u'[' + id + u']';
  }
  return QStringLiteral("[ %1 ]").arg(items.join(QStringLiteral(", ")));
}

QStringList changed_members(const JsonNode& before, const JsonNode& after, const QString& path,
                            QStringList& left_out) {
  QStringList out;
  for (const JsonNode& child : after.children) {
    const JsonNode* known = before.member(child.key);
    const QString place = path.isEmpty() ? child.key : path + u'.' + child.key;
    if (known == nullptr)
      out << member_text(child.key, compact(child));
    else if (compact(*known) != compact(child))
      out << member_text(child.key, changed_value(*known, child, place, left_out));
  }
  for (const JsonNode& child : before.children)
    if (after.member(child.key) == nullptr) out << member_text(child.key, QStringLiteral("null"));
  return out;
}

QString variant_text(const char* source) {
  return QCoreApplication::translate("stallcast::desktop::Variant", source);
}

}  // namespace

Variant variant_of(const QString& before, const QString& after, const QString& base,
                   const QString& id) {
  Variant out;
  const auto a = parse_tree(before), b = parse_tree(after);
  if (!a || !b) return out;
  QStringList members{member_text(QStringLiteral("extends"), quoted(base)),
                      member_text(QStringLiteral("id"), quoted(id))};
  // The base has its own of these two.
  JsonNode old = *a, now = *b;
  for (JsonNode* root : {&old, &now})
    std::erase_if(root->children, [](const JsonNode& child) {
      return child.key == QLatin1String("id") || child.key == QLatin1String("extends");
    });
  members << changed_members(old, now, {}, out.left_out);
  out.text = QStringLiteral("{\n  %1\n}\n").arg(members.join(QStringLiteral(",\n  ")));
  return out;
}

bool save_variant(const QString& text, const QString& base, const QString& file, QString& said) {
  if (base.isEmpty() || !QFileInfo::exists(base)) {
    said = variant_text("A variant extends a file: save the scenario first");
    return false;
  }
  if (QFileInfo(base) == QFileInfo(file)) {
    said = variant_text("A variant cannot be in the file that it extends");
    return false;
  }
  QFile in(base);
  if (!in.open(QIODevice::ReadOnly) || !parse_tree(text)) {
    said = variant_text("The scenario, or the file it came from, cannot be read");
    return false;
  }
  const QString before = QString::fromUtf8(in.readAll());
  if (!parse_tree(before)) {
    said = variant_text("The scenario, or the file it came from, cannot be read");
    return false;
  }
  const QString path =
      QFileInfo(file).absoluteDir().relativeFilePath(QFileInfo(base).absoluteFilePath());
  const Variant variant = variant_of(before, text, path, QFileInfo(file).completeBaseName());
  if (!save_file(file, variant.text.toUtf8(), said)) return false;
  said = variant_text("Saved %1, which extends %2").arg(file, path);
  if (!variant.left_out.isEmpty())
    said += variant_text("; it still has %1, which no variant can take away")
                .arg(variant.left_out.join(QStringLiteral(", ")));
  return true;
}

}  // namespace stallcast::desktop
