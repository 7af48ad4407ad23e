#include "ui/desktop/start_screen.hpp"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QUrl>

#include "ui/desktop/parts.hpp"

namespace stallcast::desktop {
namespace {

constexpr int kMostRecent = 8;
const auto kRecent = QStringLiteral("recent");

}  // namespace

StartScreen::StartScreen(Workspace& workspace, SessionFile& recovery, QWidget* parent)
    : Screen(workspace, QStringLiteral("start"), tr("Start"), parent),
      recovery_(recovery),
      templates_(client::starting_points()),
      next_screen_(QStringLiteral("whatif")) {
  setAcceptDrops(true);
  auto* layout = new QGridLayout(this);
  about_ = new QLabel(
      tr("<b>Stallcast</b> predicts what storage does to training: how busy the GPUs are, what a "
         "checkpoint costs, how many OSTs are needed, and why."),
      this);
  about_->setWordWrap(true);
  layout->addWidget(about_, 0, 0, 1, 3);
  layout->addWidget(heading(tr("What do you want?"), this), 1, 0);
  struct Wish {
    const char *name, *text, *screen;
  };
  constexpr Wish kWishes[] = {
      {"wish_size", QT_TR_NOOP("&Size storage"), "whatif"},
      {"wish_check", QT_TR_NOOP("&Check a design"), "checks"},
      {"wish_explain", QT_TR_NOOP("&Explain a slow run"), "bottleneck"},
  };
  int row = 2;
  for (const Wish& wish : kWishes) {
    auto* button = push_button(tr(wish.text), wish.name, tr(wish.text).remove(u'&'), this);
    connect(button, &QPushButton::clicked, this, [this, wish] {
      next_screen_ = QLatin1String(wish.screen);
      if (this->workspace().design())
        emit text_opened(next_screen_);
      else
        template_list_->setFocus();
    });
    layout->addWidget(button, row++, 0);
  }
  auto* open =
      push_button(tr("&Open a scenario file..."), "open", tr("Open a scenario file"), this);
  connect(open, &QPushButton::clicked, this, &StartScreen::open_requested);
  layout->addWidget(open, row++, 0);
  recover_ = new QPushButton(this);
  recover_->setObjectName(QStringLiteral("recover"));
  recover_->setAccessibleName(tr("Recover unsaved changes"));
  connect(recover_, &QPushButton::clicked, this, &StartScreen::recover);
  layout->addWidget(recover_, row++, 0);
  auto* drop = new QLabel(tr("or drop a file here"), this);
  drop->setEnabled(false);
  layout->addWidget(drop, row++, 0, Qt::AlignTop);
  layout->setRowStretch(row, 1);

  layout->addWidget(heading(tr("Templates"), this), 1, 1);
  template_list_ = new QListWidget(this);
  template_list_->setObjectName(QStringLiteral("templates"));
  template_list_->setAccessibleName(tr("Templates"));
  template_list_->setWordWrap(true);
  template_list_->setAlternatingRowColors(true);
  for (const client::StartingPoint& t : templates_)
    template_list_->addItem(QString::fromStdString(t.name + "\n" + t.summary));
  connect(template_list_, &QListWidget::itemActivated, this,
          [this] { open_template(template_list_->currentRow()); });
  layout->addWidget(template_list_, 2, 1, row - 1, 1);
  layout->addWidget(heading(tr("Opened last"), this), 1, 2);
  recent_list_ = new QListWidget(this);
  recent_list_->setObjectName(QStringLiteral("recent"));
  recent_list_->setAccessibleName(tr("Opened last"));
  recent_list_->setTextElideMode(Qt::ElideLeft);
  connect(recent_list_, &QListWidget::itemActivated, this,
          [this](QListWidgetItem* item) { emit file_chosen(item->data(Qt::UserRole).toString()); });
  layout->addWidget(recent_list_, 2, 2, row - 1, 1);
  layout->setColumnStretch(0, 2);
  layout->setColumnStretch(1, 4);
  layout->setColumnStretch(2, 3);
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

void StartScreen::open_template(int row) {
  if (row < 0 || row >= static_cast<int>(templates_.size())) return;
  workspace().document().open(
      QString::fromStdString(templates_[static_cast<std::size_t>(row)].text), {});
  emit text_opened(next_screen_);
}

void StartScreen::recover() {
  if (lost_.empty()) return;
  QString why_not;
  if (!recovery_.recover(lost_.front(), why_not)) return recover_->setText(why_not);
  emit text_opened(QStringLiteral("scenario"));
}

bool StartScreen::act(const QString& action, const QString& argument) {
  if (action != QLatin1String("template")) return false;
  for (std::size_t i = 0; i < templates_.size(); ++i)
    if (QString::fromStdString(templates_[i].name) == argument) {
      open_template(static_cast<int>(i));
      return true;
    }
  return false;
}

void StartScreen::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void StartScreen::dropEvent(QDropEvent* event) {
  const QList<QUrl> urls = event->mimeData()->urls();
  if (!urls.isEmpty() && urls.front().isLocalFile()) emit file_chosen(urls.front().toLocalFile());
}

}  // namespace stallcast::desktop
