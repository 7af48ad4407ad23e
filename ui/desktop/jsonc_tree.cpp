#include "ui/desktop/jsonc_tree.hpp"

#include <QStringList>

namespace stallcast::desktop {
namespace {

/// From bytes of UTF-8 to UTF-16 units of the same text.
class Offsets {
 public:
  explicit Offsets(const std::string& text) {
    qsizetype units = 0;
    units_.reserve(text.size() + 1);
    for (const char c : text) {
      units_.push_back(units);
      const auto byte = static_cast<unsigned char>(c);
      const bool continues = (byte & 0xC0U) == 0x80U;
      if (!continues) units += byte >= 0xF0U ? 2 : 1;  // beyond the first plane: a pair
    }
    units_.push_back(units);
  }
  [[nodiscard]] qsizetype operator[](std::size_t byte) const { return units_[byte]; }

 private:
  std::vector<qsizetype> units_;
};

JsonNode node_of(const client::TextNode& node, const Offsets& offsets) {
  JsonNode out;
  out.kind = node.kind;
  out.begin = offsets[node.begin];
  out.end = offsets[node.end];
  out.key_begin = offsets[node.key_begin];
  out.key = QString::fromStdString(node.key);
  out.literal = QString::fromStdString(node.literal);
  for (const client::TextNode& child : node.children)
    out.children.push_back(node_of(child, offsets));
  return out;
}

}  // namespace

const JsonNode* JsonNode::member(const QString& name) const {
  if (kind != Kind::object) return nullptr;
  for (const JsonNode& child : children)
    if (child.key == name) return &child;
  return nullptr;
}

const JsonNode* JsonNode::item(const QString& id) const {
  const auto has_id = [&](const JsonNode& node) {
    const JsonNode* own = node.member(QStringLiteral("id"));
    return own != nullptr && own->literal == id;
  };
  if (kind == Kind::object) return has_id(*this) ? this : nullptr;
  for (const JsonNode& child : children)
    if (has_id(child)) return &child;
  return nullptr;
}

std::optional<JsonNode> parse_tree(const QString& text) {
  const std::string bytes = text.toStdString();
  const std::optional<client::TextNode> tree = client::text_tree(bytes);
  if (!tree) return std::nullopt;
  return node_of(*tree, Offsets(bytes));
}

std::optional<JsonNode> tree_of(const Scenario& scenario) {
  const std::optional<client::TextNode> tree = client::text_tree(scenario);
  if (!tree) return std::nullopt;
  return node_of(*tree, Offsets(scenario.text()));
}

ScenarioPath parse_path(const QString& path) {
  ScenarioPath out;
  qsizetype at = 0;
  while (at < path.size()) {
    PathStep step;
    while (at < path.size() && path[at] != u'.' && path[at] != u'[') step.key += path[at++];
    if (at < path.size() && path[at] == u'[') {
      const qsizetype close = path.indexOf(u']', at);
      step.id = path.mid(at + 1, (close < 0 ? path.size() : close) - at - 1);
      at = close < 0 ? path.size() : close + 1;
    }
    out.push_back(std::move(step));
    ++at;  // the dot
  }
  return out;
}

const JsonNode* find(const JsonNode& root, const ScenarioPath& path) {
  const JsonNode* node = &root;
  for (const PathStep& step : path) {
    node = node->member(step.key);
    if (node != nullptr && !step.id.isEmpty()) node = node->item(step.id);
    if (node == nullptr) return nullptr;
  }
  return node;
}

QString path_at(const JsonNode& root, qsizetype at) {
  QString out;
  const JsonNode* node = &root;
  for (bool deeper = true; deeper;) {
    deeper = false;
    for (const JsonNode& child : node->children) {
      if (at < child.key_begin || at > child.end) continue;
      if (node->kind == JsonNode::Kind::array) {
        const JsonNode* id = child.member(QStringLiteral("id"));
        if (id == nullptr) return out;
        out += u'[' + id->literal + u']';
      } else {
        out += (out.isEmpty() ? QString() : QStringLiteral(".")) + child.key;
      }
      node = &child;
      deeper = true;
      break;
    }
  }
  return out;
}

QString quoted(const QString& text) {
  QString out = QStringLiteral("\"");
  for (const QChar c : text) {
    if (c == u'"' || c == u'\\')
      out += QStringLiteral("\\") + c;
    else if (c == u'\n')
      out += QStringLiteral("\\n");
    else if (c == u'\t')
      out += QStringLiteral("\\t");
    else if (c.unicode() < 0x20)
      out += QStringLiteral("\\u%1").arg(static_cast<int>(c.unicode()), 4, 16, QLatin1Char('0'));
    else
      out += c;
  }
  return out + u'"';
}

}  // namespace stallcast::desktop
