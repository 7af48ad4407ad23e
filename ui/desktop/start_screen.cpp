#include "ui/desktop/start_screen.hpp"

#include <QApplication>
#include <QDragEnterEvent>
#include <QFileInfo>
#include <QHeaderView>
#include <QLabel>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>
#include <algorithm>
#include <map>
#include <span>

#include "ui/desktop/parts.hpp"
#include "ui/desktop/start_card.hpp"
#include "ui/desktop/theme.hpp"
#include "ui/desktop/variation.hpp"

namespace stallcast::desktop {

/// {file name, content} of the examples that are built in.
std::span<const std::pair<std::string_view, std::string_view>> embedded_examples();

namespace {

constexpr int kMostRecent = 8;
constexpr int kTemplateRole = Qt::UserRole;
const auto kRecent = QStringLiteral("recent");
/// With fewer letters than this in a line, cards and lists stand below each other.
constexpr int kWideStart = 100;

/// What a user wants, and the example that shows it. What is compared is a template each.
struct Wish {
  Sign sign;
  const char *name, *title, *about, *example, *screen;
};
constexpr Wish kWishes[] = {
    {Sign::result, "size", QT_TR_NOOP("&Size storage for a cluster"),
     QT_TR_NOOP("512 GPUs train a 70B model: how many boxes of Lustre keep them busy, and what "
                "does that cost?"),
     "lustre-512-gpus.json", "overview"},
    {Sign::why, "explain", QT_TR_NOOP("&Explain a slow run"),
     QT_TR_NOOP("The filer can do more than the GPUs ask for, and still they wait. What for?"),
     "slow-volumes.json", "overview"},
    {Sign::explore, "compare", QT_TR_NOOP("&Compare two architectures"),
     QT_TR_NOOP("3D U-Net from WEKA or from NVMe-oF targets: figures side by side."), "weka-unet3d",
     "compare"},
};
constexpr const char* kComparedWith = "nvmeof-unet3d";

/// What a template is about, by what is in it.
QString group_of(const client::StartingPoint& t) {
  const std::optional<JsonNode> root = parse_tree(QString::fromStdString(t.text));
  const auto has = [&](const char* key) {
    return root && root->kind == JsonNode::Kind::object &&
           root->member(QLatin1String(key)) != nullptr;
  };
  const auto in_text = [&](const char* key) { return t.text.find(key) != std::string::npos; };
  if (has("tenants")) return StartScreen::tr("Shared storage");
  if (has("stages")) return StartScreen::tr("Pipelines");
  if (has("failures")) return StartScreen::tr("Failures");
  if (in_text("\"checkpoint\"") && in_text("\"dataset\""))
    return StartScreen::tr("Reading and saving");
  if (in_text("\"checkpoint\"")) return StartScreen::tr("Saving checkpoints");
  return StartScreen::tr("Reading data");
}

std::optional<QString> text_of_example(std::string_view name) {
  for (const auto& [file, text] : embedded_examples())
    if (file == name) return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
  for (const client::StartingPoint& t : client::starting_points())
    if (t.name == name) return QString::fromStdString(t.text);
  return std::nullopt;
}

}  // namespace

StartScreen::StartScreen(Workspace& workspace, SessionFile& recovery, QWidget* parent)
    : Screen(workspace, QStringLiteral("start"), tr("Start"), parent),
      recovery_(recovery),
      engine_(workspace.settings()),
      templates_(client::starting_points()) {
  setAcceptDrops(true);
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(space::kGroups);
  auto* about = new QLabel(
      tr("<b>Stallcast</b> predicts what storage does to training: how busy the GPUs are, what a "
         "checkpoint costs, how much storage is needed, and why."),
      this);
  about->setTextFormat(Qt::RichText);
  about->setWordWrap(true);
  layout->addWidget(about);
  layout->addWidget(cards());
  lists_ = new QBoxLayout(QBoxLayout::LeftToRight);
  lists_->setSpacing(space::kGroups);
  lists_->addWidget(templates(), 3);
  lists_->addWidget(files(), 2);
  layout->addLayout(lists_, 1);
}

QWidget* StartScreen::cards() {
  auto* all = new QWidget(this);
  cards_ = new QBoxLayout(QBoxLayout::LeftToRight, all);
  cards_->setContentsMargins(0, 0, 0, 0);
  cards_->setSpacing(space::kGroups);
  for (const Wish& wish : kWishes) {
    auto* card = new StartCard(wish.sign, tr(wish.title), tr(wish.about), all);
    card->setObjectName(QStringLiteral("begin_") + QLatin1String(wish.name));
    connect(card, &StartCard::clicked, this,
            [this, name = QString(QLatin1String(wish.name))] { begin(name); });
    cards_->addWidget(card, 1);
  }
  return all;
}

QWidget* StartScreen::templates() {
  auto* side = new QWidget(this);
  auto* rows = column(side);
  rows->addWidget(heading(tr("Templates"), side));
  template_list_ = new QTreeWidget(side);
  template_list_->setObjectName(QStringLiteral("templates"));
  template_list_->setAccessibleName(tr("Templates"));
  template_list_->setHeaderHidden(true);
  template_list_->setColumnCount(2);
  template_list_->setMinimumHeight(8 * fontMetrics().height());
  std::map<QString, QTreeWidgetItem*> groups;
  for (const client::StartingPoint& t : templates_) {
    const QString group = group_of(t);
    QTreeWidgetItem*& above = groups[group];
    if (above == nullptr) above = new QTreeWidgetItem({group});
    auto* item = new QTreeWidgetItem(
        above, {QString::fromStdString(t.name), QString::fromStdString(t.summary)});
    item->setData(0, kTemplateRole, QString::fromStdString(t.name));
    item->setToolTip(1, QString::fromStdString(t.summary));
  }
  for (const auto& [name, item] : groups) {
    item->setText(0, tr("%1 (%2)").arg(name).arg(item->childCount()));
    template_list_->addTopLevelItem(item);
    item->setFirstColumnSpanned(true);
    item->setExpanded(true);
  }
  template_list_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  const auto chosen = [this](QTreeWidgetItem* item) {
    const QString name = item->data(0, kTemplateRole).toString();
    if (name.isEmpty())
      item->setExpanded(!item->isExpanded());
    else
      open_template(name);
  };
  template_list_->setExpandsOnDoubleClick(false);
  connect(template_list_, &QTreeWidget::itemClicked, this, chosen, Qt::QueuedConnection);
  connect(template_list_, &QTreeWidget::itemActivated, this, [this, chosen](QTreeWidgetItem* item) {
    if (isVisible() && !QApplication::mouseButtons()) chosen(item);  // the click has opened it
  });
  rows->addWidget(template_list_, 1);
  return side;
}

QWidget* StartScreen::files() {
  auto* side = new QWidget(this);
  auto* rows = column(side);
  recover_ = new QPushButton(side);
  recover_->setObjectName(QStringLiteral("recover"));
  recover_->setAccessibleName(tr("Recover unsaved changes"));
  connect(recover_, &QPushButton::clicked, this, &StartScreen::recover);
  rows->addWidget(recover_);
  rows->addWidget(heading(tr("Opened last"), side));
  recent_list_ = new QListWidget(side);
  recent_list_->setObjectName(QStringLiteral("recent"));
  recent_list_->setAccessibleName(tr("Opened last"));
  recent_list_->setTextElideMode(Qt::ElideLeft);
  const auto chosen = [this](QListWidgetItem* item) {
    emit file_chosen(item->data(Qt::UserRole).toString());
  };
  connect(recent_list_, &QListWidget::itemClicked, this, chosen, Qt::QueuedConnection);
  connect(recent_list_, &QListWidget::itemActivated, this, [chosen](QListWidgetItem* item) {
    if (!QApplication::mouseButtons()) chosen(item);
  });
  rows->addWidget(recent_list_, 1);
  auto* open =
      push_button(tr("&Open a scenario file..."), "open", tr("Open a scenario file"), side);
  connect(open, &QPushButton::clicked, this, &StartScreen::open_requested);
  rows->addWidget(open);
  rows->addWidget(note(tr("or drop a file here"), side));
  return side;
}

void StartScreen::remember(const QString& file) {
  QSettings settings;
  QStringList files = settings.value(kRecent).toStringList();
  files.removeAll(file);
  files.prepend(file);
  settings.setValue(kRecent, QStringList(files.mid(0, kMostRecent)));
}

void StartScreen::refresh() {
  recent_list_->clear();
  for (const QString& file : QSettings().value(kRecent).toStringList()) {
    auto* item = new QListWidgetItem(QFileInfo(file).fileName(), recent_list_);
    item->setData(Qt::UserRole, file);
    item->setToolTip(file);
  }
  lost_ = recovery_.lost();
  recover_->setVisible(!lost_.empty());
  if (lost_.empty()) return;
  const QString name = lost_.front().project.scenario.isEmpty()
                           ? tr("an unsaved scenario")
                           : QFileInfo(lost_.front().project.scenario).fileName();
  recover_->setText(tr("&Recover changes of %1").arg(name));
}

bool StartScreen::open_template(const QString& name) {
  const std::optional<QString> text = text_of_example(name.toStdString());
  if (!text) return false;
  workspace().document().open(*text, {});
  emit text_opened(QStringLiteral("overview"));
  return true;
}

bool StartScreen::begin(const QString& wish) {
  for (const Wish& w : kWishes) {
    if (wish != QLatin1String(w.name)) continue;
    workspace().document().open(text_of_example(w.example).value_or(QString()), {});
    const QString screen = QLatin1String(w.screen);
    if (screen != QLatin1String("compare")) {
      emit text_opened(screen);
      return true;
    }
    const auto& pins = workspace().pins();
    if (std::any_of(pins.begin(), pins.end(),
                    [](const Pin& pin) { return pin.name == QLatin1String(kComparedWith); })) {
      emit text_opened(screen);
      return true;
    }
    // What it is compared with is simulated first, and pinned.
    const QString text = text_of_example(kComparedWith).value_or(QString());
    emit text_opened(QStringLiteral("overview"));
    engine_.start([this, text, screen, source = workspace().source()](
                      client::Session& session, const Engine::Progress& progress) -> Engine::Then {
      const QString texts[] = {text};
      auto found = predict_texts(session, source, texts, progress);
      return [this, text, screen, found = std::move(found)]() mutable {
        if (!found.front()) return;
        workspace().add_pin({QLatin1String(kComparedWith), text, *std::move(found.front())});
        emit text_opened(screen);
      };
    });
    return true;
  }
  return false;
}

void StartScreen::recover() {
  if (lost_.empty()) return;
  QString why_not;
  if (!recovery_.recover(lost_.front(), why_not)) return recover_->setText(why_not);
  emit text_opened(QStringLiteral("scenario"));
}

bool StartScreen::act(const QString& action, const QString& argument) {
  if (action == QLatin1String("begin")) return begin(argument);
  return action == QLatin1String("template") && open_template(argument);
}

void StartScreen::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void StartScreen::dropEvent(QDropEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (!urls.isEmpty() && urls.front().isLocalFile()) emit file_chosen(urls.front().toLocalFile());
}

void StartScreen::showEvent(QShowEvent* event) {
  Screen::showEvent(event);
  if (QWidget* first = findChild<StartCard*>()) first->setFocus();
}

void StartScreen::arrange() {
  const bool wide = width() >= kWideStart * fontMetrics().averageCharWidth();
  for (QBoxLayout* layout : {cards_, lists_})
    layout->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

}  // namespace stallcast::desktop
