#include "ui/desktop/jsonc_tree.hpp"

#include <QStringList>

namespace stallcast::desktop {
namespace {

constexpr int kDeepest = 200;

/// Recursive descent; `failed_` once something is not JSON.
class Parser {
 public:
  explicit Parser(const QString& text) : text_(text) {}

  std::optional<JsonNode> parse() {
    JsonNode root = value(0);
    skip();
    if (failed_ || at_ != text_.size()) return std::nullopt;
    return root;
  }

 private:
  [[nodiscard]] QChar here() const { return at_ < text_.size() ? text_[at_] : QChar(); }

  void skip() {
    while (at_ < text_.size()) {
      if (text_[at_].isSpace()) {
        ++at_;
      } else if (text_.mid(at_, 2) == QLatin1String("//")) {
        const qsizetype line = text_.indexOf(u'\n', at_);
        at_ = line < 0 ? text_.size() : line + 1;
      } else if (text_.mid(at_, 2) == QLatin1String("/*")) {
        const qsizetype close = text_.indexOf(QLatin1String("*/"), at_ + 2);
        at_ = close < 0 ? text_.size() : close + 2;
      } else {
        return;
      }
    }
  }

  JsonNode value(int depth) {
    skip();
    JsonNode out;
    out.begin = out.key_begin = at_;
    if (depth > kDeepest) failed_ = true;
    if (failed_) return out;
    if (here() == u'{' || here() == u'[') {
      list(out, depth);
    } else if (here() == u'"') {
      out.kind = JsonNode::Kind::text;
      out.literal = string();
    } else {
      while (here().isLetterOrNumber() || here() == u'-' || here() == u'+' || here() == u'.')
        out.literal += text_[at_++];
      if (out.literal.isEmpty()) failed_ = true;
    }
    out.end = at_;
    return out;
  }

  void list(JsonNode& out, int depth) {
    const bool object = here() == u'{';
    const QChar close = object ? u'}' : u']';
    out.kind = object ? JsonNode::Kind::object : JsonNode::Kind::array;
    ++at_;
    for (skip(); !failed_ && here() != close; skip()) {
      const qsizetype key_begin = at_;
      QString key;
      if (object) {
        if (here() != u'"') return fail();
        key = string();
        skip();
        if (here() != u':') return fail();
        ++at_;
      }
      JsonNode child = value(depth + 1);
      child.key = key;
      child.key_begin = key_begin;
      out.children.push_back(std::move(child));
      skip();
      if (here() == u',')
        ++at_;
      else if (here() != close)
        return fail();
    }
    ++at_;
  }

  QString string() {
    QString out;
    for (++at_; at_ < text_.size() && text_[at_] != u'"' && text_[at_] != u'\n'; ++at_) {
      if (text_[at_] != u'\\') {
        out += text_[at_];
        continue;
      }
      const QChar next = ++at_ < text_.size() ? text_[at_] : QChar();
      constexpr char16_t kFrom[] = u"nrtbf", kTo[] = u"\n\r\t\b\f";
      qsizetype i = 0;
      while (i < 5 && kFrom[i] != next) ++i;
      if (next == u'u') {
        out += QChar(text_.mid(at_ + 1, 4).toUShort(nullptr, 16));
        at_ += 4;
      } else {
        out += i < 5 ? QChar(kTo[i]) : next;
      }
    }
    if (here() != u'"')
      fail();
    else
      ++at_;
    return out;
  }

  void fail() { failed_ = true; }

  const QString& text_;
  qsizetype at_ = 0;
  bool failed_ = false;
};

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

std::optional<JsonNode> parse_tree(const QString& text) { return Parser(text).parse(); }

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
