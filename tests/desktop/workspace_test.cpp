#include "ui/desktop/workspace.hpp"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "engine/base/jsonc.hpp"
#include "tests/desktop/support.hpp"
#include "ui/desktop/figures.hpp"
#include "ui/desktop/session_file.hpp"
#include "ui/desktop/variation.hpp"

namespace workspace_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

QString example() {
  QFile file(QStringLiteral("examples/exercise-512-h100-async.json"));
  REQUIRE(file.open(QIODevice::ReadOnly));
  return QString::fromUtf8(file.readAll());
}

bool wait_for(const Workspace& workspace, Freshness freshness) {
  return QTest::qWaitFor([&] { return workspace.freshness() == freshness; }, kPatience);
}

std::optional<SliderSpec> slider(const Workspace& workspace, const char* path) {
  for (const SliderSpec& s : workspace.sliders())
    if (s.path == QLatin1String(path)) return s;
  return std::nullopt;
}

constexpr const char* kUtilization = "job.train.gpu.utilization";

}  // namespace

TEST_CASE("bounds are there at once, the simulation follows, and an edit makes it stale") {
  Workspace workspace(settings());
  workspace.document().open(example(), QStringLiteral("examples/exercise-512-h100-async.json"));
  CHECK(workspace.freshness() == Freshness::estimated);
  REQUIRE(workspace.estimate().has_value());
  CHECK(workspace.estimate()->method == "estimate");
  REQUIRE(wait_for(workspace, Freshness::simulated));
  const double before = workspace.simulated()->metrics.at(kUtilization).value;
  CHECK(before <= workspace.estimate()->metrics.at(kUtilization).value);

  const std::optional<SliderSpec> n_ost = slider(workspace, "params.n_ost.value");
  REQUIRE(n_ost.has_value());
  const int drag = workspace.document().new_merge();
  for (const double n : {40.0, 30.0, 20.0, 10.0}) workspace.move_slider(*n_ost, n, drag);
  CHECK(workspace.freshness() == Freshness::estimated);
  CHECK(workspace.simulated()->metrics.at(kUtilization).value == before);  // the old one stays
  REQUIRE(wait_for(workspace, Freshness::simulated));
  CHECK(workspace.simulated()->metrics.at(kUtilization).value < before);
  CHECK(workspace.document().undo_stack().count() == 1);
}

TEST_CASE("ranges and gains follow the simulation, and an edit ends them") {
  Workspace workspace(settings());
  workspace.document().open(example(), QStringLiteral("examples/exercise-512-h100-async.json"));
  int begun = 0;  // noted where draws arrive: on a busy machine all may end between two looks
  QObject::connect(&workspace, &Workspace::refined, [&] { begun += workspace.refining(); });
  REQUIRE(wait_for(workspace, Freshness::simulated));
  REQUIRE(QTest::qWaitFor([&] { return workspace.simulated()->gains && !workspace.refining(); },
                          kPatience));
  CHECK(begun > 0);
  const Metric& busy = workspace.simulated()->metrics.at(kUtilization);
  REQUIRE(busy.ci90);
  CHECK(busy.ci90->first < busy.ci90->second);
  CHECK(range_text(busy).startsWith(QStringLiteral("90 % of outcomes ")));
  workspace.predict_now();
  REQUIRE(QTest::qWaitFor([&] { return workspace.refining(); }, kPatience));
  workspace.document().open(QStringLiteral("{"), QStringLiteral("b.json"));
  CHECK_FALSE(workspace.refining());
}

TEST_CASE("a text with errors keeps the last good figures") {
  Workspace workspace(settings());
  workspace.document().open(example(), QStringLiteral("examples/exercise-512-h100-async.json"));
  REQUIRE(wait_for(workspace, Freshness::simulated));
  REQUIRE(
      workspace.document().set(QStringLiteral("params.n_ost.value"), QStringLiteral("\"many\"")));
  CHECK(workspace.freshness() == Freshness::last_good);
  CHECK(workspace.has_errors());
  CHECK(workspace.simulated().has_value());
  workspace.document().undo_stack().undo();
  CHECK_FALSE(workspace.has_errors());
  REQUIRE(wait_for(workspace, Freshness::simulated));
}

TEST_CASE("up to four designs can be pinned, only simulated ones") {
  Workspace workspace(settings());
  CHECK_FALSE(workspace.pin(QStringLiteral("nothing")));
  workspace.document().open(example(), QStringLiteral("examples/exercise-512-h100-async.json"));
  CHECK_FALSE(workspace.pin(QStringLiteral("too early")));
  REQUIRE(wait_for(workspace, Freshness::simulated));
  for (std::size_t i = 0; i < kMostPins; ++i) CHECK(workspace.pin(QString::number(i)));
  CHECK_FALSE(workspace.pin(QStringLiteral("one more")));
}

TEST_CASE("any field can become a slider, and moving it writes its unit") {
  Workspace workspace(settings());
  workspace.document().open(example(), QStringLiteral("examples/exercise-512-h100-async.json"));
  workspace.add_slider(QStringLiteral("storage[scratch].ost.write"));
  const std::optional<SliderSpec> write = slider(workspace, "storage[scratch].ost.write");
  REQUIRE(write.has_value());
  CHECK(write->value == 4e9);
  workspace.move_slider(*write, 6.2e9, 0);
  CHECK(workspace.document().text().contains(QStringLiteral("\"write\": \"6.2 GB/s\"")));
  CHECK(slider(workspace, "storage[scratch].ost.write")->value == 6.2e9);
}

TEST_CASE("first sliders are of what the design uses: no rate of writes where nobody writes") {
  const auto first = [](const char* file) {
    QFile in(QString::fromLatin1(file));
    REQUIRE(in.open(QIODevice::ReadOnly));
    Workspace workspace(settings());
    workspace.document().open(QString::fromUtf8(in.readAll()), QString::fromLatin1(file));
    return std::pair{slider(workspace, "storage[scratch].ost.read").has_value(),
                     slider(workspace, "storage[scratch].ost.write").has_value()};
  };
  CHECK(first("scenarios/library/qos-two-jobs.json") == std::pair{true, false});
  CHECK(first("examples/exercise-512-h100-async.json").second);
}

TEST_CASE("an edit parses the text once, by a slider or by hand, and a tornado not at all") {
  Workspace workspace(settings());
  const QString name = QStringLiteral("examples/exercise-512-h100-base.json");  // extends nothing
  QFile file(name);
  REQUIRE(file.open(QIODevice::ReadOnly));
  workspace.document().open(QString::fromUtf8(file.readAll()), name);
  const std::optional<SliderSpec> n_ost = slider(workspace, "params.n_ost.value");
  REQUIRE(n_ost.has_value());
  std::uint64_t before = base::parsed_texts();
  const int drag = workspace.document().new_merge();
  for (const double n : {40.0, 30.0, 20.0}) workspace.move_slider(*n_ost, n, drag);
  CHECK(base::parsed_texts() - before == 3);
  before = base::parsed_texts();
  QString text = workspace.document().text();
  workspace.document().replace_text(text.replace(QLatin1String("\"id\""), QLatin1String(" \"id\"")),
                                    QStringLiteral("typed"));
  CHECK(base::parsed_texts() - before == 1);
  REQUIRE(wait_for(workspace, Freshness::simulated));
  before = base::parsed_texts();
  const Move moves[] = {{*n_ost, 24.0}};
  const std::vector<std::vector<Change>> changes = {changes_of(moves), {}};
  const auto found =
      predict_changes(workspace.session(), *workspace.scenario(), changes, [](double) {});
  CHECK(found[0].has_value());
  CHECK(found[1].has_value());
  CHECK(base::parsed_texts() == before);
}

TEST_CASE("unsaved changes outlive the program, saved ones leave nothing") {
  const QTemporaryDir folder;
  Workspace workspace(settings());
  const QString text = QStringLiteral("{ \"id\": \"unsaved\" }");
  {
    SessionFile session(workspace, folder.path());
    workspace.document().open(QStringLiteral("{}"), {});
    workspace.document().replace_text(text, QStringLiteral("typed"));
    session.write_now();
    CHECK(session.lost().empty());  // its process lives
    const QStringList files = QDir(folder.path()).entryList(QDir::Files);
    REQUIRE(files.size() == 1);
    // As a process that is gone would have left it: no process has this number.
    REQUIRE(QFile::copy(folder.filePath(files.front()),
                        folder.filePath(QStringLiteral("999999999.stallcast-recovery.json"))));
    const std::vector<Recovered> lost = session.lost();
    REQUIRE(lost.size() == 1);
    CHECK(lost.front().project.text == text);
    SessionFile::forget(lost.front());
    CHECK(session.lost().empty());
  }
  CHECK(QDir(folder.path()).entryList(QDir::Files).isEmpty());
}

TEST_CASE("pins, sliders and their values outlive the program, too") {
  const QTemporaryDir folder;
  const QString file = QStringLiteral("examples/exercise-512-h100-async.json");
  const QString write = QStringLiteral("storage[scratch].ost.write");
  Prediction pinned;
  {
    Workspace workspace(settings());
    SessionFile session(workspace, folder.path());
    workspace.document().open(example(), file);
    REQUIRE(wait_for(workspace, Freshness::simulated));
    REQUIRE(workspace.pin(QStringLiteral("fifty")));
    pinned = *workspace.simulated();
    session.write_now();  // a pin alone is worth it
    workspace.add_slider(write);
    workspace.move_slider(*slider(workspace, "storage[scratch].ost.write"), 6e9, 0);
    session.write_now();
    const QStringList files = QDir(folder.path()).entryList(QDir::Files);
    REQUIRE(files.size() == 1);
    REQUIRE(QFile::copy(folder.filePath(files.front()),
                        folder.filePath(QStringLiteral("999999999.stallcast-recovery.json"))));
  }
  Workspace workspace(settings());
  SessionFile session(workspace, folder.path());
  const std::vector<Recovered> lost = session.lost();
  REQUIRE(lost.size() == 1);
  CHECK(QFileInfo(lost.front().project.scenario) == QFileInfo(file));
  QString why_not;
  REQUIRE(session.recover(lost.front(), why_not));
  CHECK(workspace.document().modified());
  REQUIRE(slider(workspace, "storage[scratch].ost.write").has_value());
  CHECK(slider(workspace, "storage[scratch].ost.write")->value == 6e9);
  REQUIRE(QTest::qWaitFor([&] { return !workspace.pins().empty(); }, kPatience));
  REQUIRE(workspace.pins().size() == 1);
  const Pin& pin = workspace.pins().front();
  CHECK(pin.name == QStringLiteral("fifty"));
  CHECK(pin.text == example());
  CHECK(pin.prediction.design_sha256 == pinned.design_sha256);
  REQUIRE(pin.prediction.metrics.size() == pinned.metrics.size());
  for (const auto& [name, metric] : pinned.metrics) {
    INFO(name);
    CHECK(pin.prediction.metrics.at(name).value == metric.value);
  }
  CHECK(pin.prediction.breakdown == pinned.breakdown);
  CHECK(session.lost().empty());
}

}  // namespace workspace_test
