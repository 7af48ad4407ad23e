#include "ui/desktop/document.hpp"

#include <QFile>
#include <QTemporaryDir>
#include <catch2/catch.hpp>
#include <random>

namespace document_test {

using namespace stallcast::desktop;

namespace {

const QString kScenario = QStringLiteral(R"({
  // what is tested
  "id": "small",
  "params": { "n": { "value": 4 } },   // one number
  "storage": [ {
    "id": "scratch", "type": "lustre",
    "ost": { "count": "=n", "read": "1 GB/s" } // both ways
  } ],
  "jobs": [ { "id": "train", "steps": 10 } ],
})");

QString after_set(const QString& text, const char* path, const char* literal) {
  const auto root = parse_tree(text);
  REQUIRE(root.has_value());
  const auto edit = set_value(text, *root, parse_path(QLatin1String(path)), QLatin1String(literal));
  REQUIRE(edit.has_value());
  return apply(*edit, text);
}

QString literal_at(const QString& text, const char* path) {
  const auto root = parse_tree(text);
  REQUIRE(root.has_value());
  const JsonNode* node = find(*root, parse_path(QLatin1String(path)));
  return node == nullptr ? QStringLiteral("absent") : node->literal;
}

}  // namespace

TEST_CASE("a value is replaced where it stands and nothing else moves") {
  const QString text = after_set(kScenario, "storage[scratch].ost.read", "\"2 GB/s\"");
  QString expected = kScenario;
  CHECK(text == expected.replace(QStringLiteral("1 GB/s"), QStringLiteral("2 GB/s")));
}

TEST_CASE("a new member comes behind the last one and keeps the comments") {
  const QString text = after_set(kScenario, "storage[scratch].ost.write", "\"3 GB/s\"");
  CHECK(literal_at(text, "storage[scratch].ost.write") == QStringLiteral("3 GB/s"));
  CHECK(literal_at(text, "storage[scratch].ost.read") == QStringLiteral("1 GB/s"));
  CHECK(text.contains(QStringLiteral("// both ways")));
  const QString twice = after_set(text, "storage[scratch].mdt.count", "2");
  CHECK(literal_at(twice, "storage[scratch].mdt.count") == QStringLiteral("2"));
  CHECK(twice.contains(QStringLiteral("} // both ways\n")) == false);  // a comma came in between
  CHECK(twice.contains(QStringLiteral("// both ways")));
}

TEST_CASE("what a file inherits is overridden by a new item with the same id") {
  const QString text = QStringLiteral("{ \"extends\": \"base.json\" }");
  const QString once = after_set(text, "storage[scratch].ost.count", "12");
  CHECK(literal_at(once, "storage[scratch].ost.count") == QStringLiteral("12"));
  CHECK(literal_at(once, "storage[scratch].id") == QStringLiteral("scratch"));
  const QString twice = after_set(once, "storage[other].ost.count", "3");
  CHECK(literal_at(twice, "storage[other].ost.count") == QStringLiteral("3"));
  CHECK(literal_at(twice, "storage[scratch].ost.count") == QStringLiteral("12"));
}

TEST_CASE("a single object counts as a list of one") {
  const QString text =
      QStringLiteral("{ \"storage\": { \"id\": \"s\", \"ost\": { \"count\": 1 } } }");
  CHECK(literal_at(after_set(text, "storage[s].ost.count", "9"), "storage[s].ost.count") ==
        QStringLiteral("9"));
}

TEST_CASE("a member is removed with its comma") {
  Document document;
  document.open(kScenario, {});
  REQUIRE(document.remove(QStringLiteral("storage[scratch].ost.read")));
  CHECK(literal_at(document.text(), "storage[scratch].ost.read") == QStringLiteral("absent"));
  REQUIRE(document.remove(QStringLiteral("id")));
  CHECK(parse_tree(document.text()).has_value());
  CHECK_FALSE(document.remove(QStringLiteral("id")));
}

TEST_CASE("text that is not JSON is left alone") {
  for (const char* text :
       {"", "{", "{ \"a\" 1 }", "[1, 2", "{ \"a\": }", "{} x", "{ \"a\": \"b }"}) {
    Document document;
    document.open(QLatin1String(text), {});
    CHECK_FALSE(document.set(QStringLiteral("a"), QStringLiteral("1")));
    CHECK(document.text() == QLatin1String(text));
  }
}

TEST_CASE("the path at a place names items by their id") {
  const auto root = parse_tree(kScenario);
  REQUIRE(root.has_value());
  CHECK(path_at(*root, kScenario.indexOf(QStringLiteral("\"read\"")) + 2) ==
        QStringLiteral("storage[scratch].ost.read"));
}

TEST_CASE("one drag is one step of undo") {
  Document document;
  document.open(kScenario, {});
  const int drag = document.new_merge();
  for (int n = 5; n < 60; ++n)
    document.set(QStringLiteral("params.n.value"), QString::number(n), drag);
  CHECK(literal_at(document.text(), "params.n.value") == QStringLiteral("59"));
  CHECK(document.undo_stack().count() == 1);
  document.undo_stack().undo();
  CHECK(document.text() == kScenario);
  document.undo_stack().redo();
  CHECK(literal_at(document.text(), "params.n.value") == QStringLiteral("59"));
}

TEST_CASE("a drag that first writes the value is undone as one, too") {
  Document document;
  document.open(QStringLiteral("{ \"extends\": \"base.json\" }"), {});
  const QString before = document.text();
  const int drag = document.new_merge();
  for (int n = 5; n < 60; ++n)
    document.set(QStringLiteral("params.n.value"), QString::number(n), drag);
  document.undo_stack().undo();
  CHECK(document.text() == before);
}

// A second text is kept by hand: each step is recorded as the text it led to, and undo and redo
// move among those.
TEST_CASE("10,000 random edits and undos leave the document as a replay has it") {
  std::mt19937 random(20261121);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Document document;
  document.open(kScenario, {});
  std::vector<QString> texts{kScenario};
  std::size_t at = 0;
  const char* paths[] = {"params.n.value",
                         "storage[scratch].ost.count",
                         "storage[scratch].ost.write",
                         "storage[scratch].mdt.count",
                         "jobs[train].steps",
                         "jobs[train].loader.workers",
                         "run.seed",
                         "storage[more].ost.count"};
  int last_drag = 0;
  for (int i = 0; i < 10000; ++i) {
    const int what = pick(10);
    if (what < 3 && document.undo_stack().canUndo()) {
      document.undo_stack().undo();
      --at;
      last_drag = 0;
    } else if (what == 3 && document.undo_stack().canRedo()) {
      document.undo_stack().redo();
      ++at;
      last_drag = 0;
    } else {
      const QString before = document.text();
      const bool same_drag = what == 4 && last_drag != 0;
      const int drag = same_drag ? last_drag : document.new_merge();
      const int count = document.undo_stack().count();
      const int index = document.undo_stack().index();
      if (what == 5)
        document.remove(QLatin1String(paths[pick(8)]));
      else if (what == 6)
        document.change({before.size(), QString(), QStringLiteral("\n")}, QStringLiteral("typed"),
                        drag);
      else
        REQUIRE(document.set(QLatin1String(paths[pick(8)]), QString::number(pick(1000)), drag));
      // A merged edit that ends where it began is gone from the stack.
      const bool gone = document.undo_stack().index() < index;
      const bool pushed =
          document.undo_stack().index() > index || (document.undo_stack().count() < count && !gone);
      if (gone) {
        --at;
        texts.resize(at + 1);
        last_drag = 0;
      } else if (pushed) {
        texts.resize(++at);
        texts.push_back(document.text());
        last_drag = drag;
      } else if (document.text() != before) {
        texts.resize(at + 1);
        texts[at] = document.text();
      }
    }
    REQUIRE(document.text() == texts[at]);
    REQUIRE(parse_tree(document.text()).has_value());
  }
  while (document.undo_stack().canUndo()) document.undo_stack().undo();
  CHECK(document.text() == kScenario);
}

TEST_CASE("lines of a file end after a change as they did before") {
  const QTemporaryDir folder;
  const QString file = folder.filePath(QStringLiteral("a.json"));
  for (const char* end : {"\n", "\r\n"}) {
    const QString before = QStringLiteral("{%1\"a\": 1%1}%1").arg(QLatin1String(end));
    Document document;
    document.open(before, file);
    CHECK_FALSE(document.text().contains(u'\r'));
    CHECK(document.saved_text() == document.text());
    REQUIRE(document.set(QStringLiteral("a"), QStringLiteral("2")));
    CHECK(document.saved_text() != document.text());
    QString why_not;
    REQUIRE(document.save(file, why_not));
    CHECK(document.saved_text() == document.text());
    QFile saved(file);
    REQUIRE(saved.open(QIODevice::ReadOnly));
    CHECK(QString::fromUtf8(saved.readAll()) == QString(before).replace(u'1', u'2'));
  }
}

}  // namespace document_test
