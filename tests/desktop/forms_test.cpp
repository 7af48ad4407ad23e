#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QTableView>
#include <QToolButton>
#include <catch2/catch.hpp>

#include "tests/desktop/support.hpp"
#include "ui/app/form.hpp"
#include "ui/desktop/part_form.hpp"
#include "ui/desktop/quantity_edit.hpp"
#include "ui/desktop/screen.hpp"
#include "ui/desktop/variation.hpp"

namespace forms_test {

using namespace stallcast;
using namespace stallcast::desktop;

namespace {

const QString kText = QStringLiteral(R"({
  "id": "units",
  "cluster": { "hosts": [ { "id": "gpu", "count": 4, "nic": { "rate": "400 Gb/s" } } ],
               "fabric": { "type": "switched" } },
  "storage": [ { "id": "s", "type": "lustre", "ost": { "count": 8, "write": "3 GiB/s" } } ],
  "jobs": [ { "id": "train", "hosts": "gpu", "steps": 100, "step": { "compute": "50 ms" },
    "checkpoint": { "to": "s", "every_steps": 50, "size": "64 GiB" } } ]
})");

PartForm* form_of(MainWindow& window, const QString& part) {
  REQUIRE(window.show_screen(QStringLiteral("scenario")));
  REQUIRE(window.current()->act(QStringLiteral("part"), part));
  auto* form = window.findChild<PartForm*>();
  REQUIRE(form != nullptr);
  return form;
}

QStringList headings(const PartForm& form) {
  QStringList out;
  for (const std::string_view title : client::field_groups())
    for (const QLabel* label : form.findChildren<QLabel*>())
      if (label->text() == QLatin1String(title.data(), static_cast<qsizetype>(title.size())))
        out << label->text();
  return out;
}

template <class Widget = QWidget>
Widget* field(const PartForm& form, const char* path) {
  return form.findChild<Widget*>(QStringLiteral("field:") + QLatin1String(path));
}

void type(QuantityEdit& edit, const QString& text) {
  auto* line = edit.findChild<QLineEdit*>();
  line->setFocus();
  line->selectAll();
  QTest::keyClicks(line, text);
  QTest::keyClick(&edit, Qt::Key_Return);
}

}  // namespace

TEST_CASE("a form has its fields in groups, and what is left at its default behind a button") {
  MainWindow window(settings(), {});
  window.show();
  window.workspace().document().open(kText, {});
  PartForm* form = form_of(window, QStringLiteral("storage[s]"));
  const QStringList groups = headings(*form);
  INFO(groups.join(u',').toStdString());
  CHECK(groups == QStringList{QStringLiteral("Capacity and speed"), QStringLiteral("Network"),
                              QStringLiteral("Metadata"), QStringLiteral("Failures and protection"),
                              QStringLiteral("Cost"), QStringLiteral("Other")});
  CHECK(field(*form, "storage[s].ost.count")->isVisible());
  auto* usual = field(*form, "storage[s].mdt.count");
  REQUIRE(usual != nullptr);
  CHECK_FALSE(usual->isVisible());
  auto* more = form->findChild<QToolButton*>(QStringLiteral("more:Metadata"));
  REQUIRE(more != nullptr);
  more->click();
  CHECK(usual->isVisible());
  // A new value builds the form anew: what is open stays open, and the field is among the set ones.
  auto* count = field<QuantityEdit>(*form, "storage[s].mdt.count");
  type(*count, QStringLiteral("2"));
  CHECK(field(*form, "storage[s].mdt.create")->isVisible());
  form->findChild<QToolButton*>(QStringLiteral("more:Metadata"))->click();
  CHECK_FALSE(field(*form, "storage[s].mdt.create")->isVisible());
  CHECK(field(*form, "storage[s].mdt.count")->isVisible());
}

TEST_CASE("a value that is changed keeps the unit it is written in") {
  MainWindow window(settings(), {});
  window.show();
  Workspace& workspace = window.workspace();
  workspace.document().open(kText, {});
  const auto says = [&](const char* text) {
    INFO(workspace.document().text().toStdString());
    CHECK(workspace.document().text().contains(QLatin1String(text)));
  };
  SECTION("in the form") {
    PartForm* form = form_of(window, QStringLiteral("storage[s]"));
    auto* write = field<QuantityEdit>(*form, "storage[s].ost.write");
    CHECK(write->text() == QStringLiteral("3 GiB/s"));
    write->stepUp();
    says("\"3.1 GiB/s\"");
    form = form_of(window, QStringLiteral("cluster.hosts[gpu]"));
    auto* rate = field<QuantityEdit>(*form, "cluster.hosts[gpu].nic.rate");
    CHECK(rate->text() == QStringLiteral("400 Gb/s"));
    rate->stepDown();
    says("\"390 Gb/s\"");
  }
  SECTION("a unit that was typed stays as it is typed") {
    PartForm* form = form_of(window, QStringLiteral("storage[s]"));
    const QPointer<QuantityEdit> write = field<QuantityEdit>(*form, "storage[s].ost.write");
    type(*write, QStringLiteral("2 GB/s"));
    says("\"2 GB/s\"");
    // The form is made anew, but not while the field still handles the key.
    CHECK_FALSE(write.isNull());
    CHECK(field<QuantityEdit>(*form, "storage[s].ost.write") != write);
  }
  SECTION("by a slider") {
    const auto rate = workspace.slider_of(QStringLiteral("cluster.hosts[gpu].nic.rate"));
    REQUIRE(rate);
    workspace.move_slider(*rate, 25e9, 0);
    says("\"200 Gb/s\"");
    const auto write = workspace.slider_of(QStringLiteral("storage[s].ost.write"));
    REQUIRE(write);
    // To three digits of its unit: 1.234567 GiB/s.
    workspace.move_slider(*write, 1.234567 * 1024 * 1024 * 1024, 0);
    says("\"1.23 GiB/s\"");
    const auto compute = workspace.slider_of(QStringLiteral("jobs[train].step.compute"));
    REQUIRE(compute);
    workspace.move_slider(*compute, 0.05034, 0);
    says("\"50.3 ms\"");
  }
}

// "storage" is in the file that the example extends, the mode of saves in the example itself.
TEST_CASE("who set a value is next to it, and inherited ones are shown as such") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kWhole));
  const QString own = window.workspace().document().name();
  const auto who = [&](const char* path) {
    for (const client::FormPart& part : window.workspace().form().parts)
      for (const client::FormField& f : part.fields)
        if (part.path + "." + f.key == path) return provenance(*f.value, own);
    return QString();
  };
  CHECK(who("storage[scratch].ost.write") == QStringLiteral("inherited"));
  CHECK(who("jobs[train].checkpoint.tiers") == QStringLiteral("scenario"));
  CHECK(who("cluster.hosts[gpu].nic.rate") == QStringLiteral("catalogue"));
  CHECK(who("cluster.hosts[gpu].memory.dirty") == QStringLiteral("default"));
  PartForm* form = form_of(window, QStringLiteral("storage[scratch]"));
  CHECK(field<QuantityEdit>(*form, "storage[scratch].ost.write")->isVisible());
  bool said = false;
  for (const QLabel* label : form->findChildren<QLabel*>())
    said = said || (label->text() == QStringLiteral("inherited") &&
                    label->toolTip().contains(QStringLiteral("exercise-512-h100-base.json:")));
  CHECK(said);
}

// The parameter is written in the base file alone, with 50.
TEST_CASE("comparing shows what an inherited value was, and where it is written") {
  MainWindow window(settings(), {});
  window.show();
  REQUIRE(window.open_file(kExample));
  REQUIRE(wait_simulated(window));
  REQUIRE(window.workspace().pin(QStringLiteral("before")));
  REQUIRE(window.workspace().document().set(QStringLiteral("params.n_ost.value"),
                                            QStringLiteral("40")));
  REQUIRE(wait_simulated(window));
  REQUIRE(window.show_screen(QStringLiteral("compare")));
  const auto* inputs = window.findChild<QTableView*>(QStringLiteral("inputs"))->model();
  REQUIRE(inputs->rowCount() == 1);
  CHECK(inputs->index(0, 1).data().toString() == QStringLiteral("50"));
  CHECK(inputs->index(0, 2).data().toString() == QStringLiteral("40"));
  CHECK(inputs->index(0, 3).data().toString().contains(
      QStringLiteral("exercise-512-h100-base.json:")));
}

}  // namespace forms_test
