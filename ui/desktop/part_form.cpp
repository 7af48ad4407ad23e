#include "ui/desktop/part_form.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/desktop/quantity_edit.hpp"
#include "ui/desktop/theme.hpp"

namespace stallcast::desktop {
namespace {

QString text_of(const std::string& text) { return QString::fromStdString(text); }

QString value_text(const client::FormField& field) {
  if (!field.value) return {};
  const Value& value = *field.value;
  if (value.dimension == Dimension::text) return text_of(value.text);
  if (value.dimension == Dimension::text_list) {
    QStringList items;
    for (const std::string& item : value.list) items << text_of(item);
    return items.join(QStringLiteral(", "));
  }
  return text_of(client::write_quantity(value.number, value.dimension, field.written));
}

bool is_bare(Dimension dimension) {
  return dimension == Dimension::count || dimension == Dimension::number ||
         dimension == Dimension::boolean;
}

QFormLayout* form_in(QWidget* widget) {
  auto* out = new QFormLayout(widget);
  out->setContentsMargins(0, 0, 0, 0);
  out->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  out->setRowWrapPolicy(QFormLayout::WrapLongRows);
  return out;
}

QString list_literal(const QString& text) {
  QStringList items;
  for (const QString& item : text.split(u',', Qt::SkipEmptyParts)) items << quoted(item.trimmed());
  return u'[' + items.join(QStringLiteral(", ")) + u']';
}

}  // namespace

QString provenance(const Value& value, const QString& own_file) {
  using Kind = Source::Kind;
  const Kind kind = value.source.kind;
  const bool here = text_of(value.source.where).startsWith(own_file + u':');
  const QString out = kind == Kind::scenario
                          ? here ? PartForm::tr("scenario") : PartForm::tr("inherited")
                      : kind == Kind::set_option    ? PartForm::tr("--set")
                      : kind == Kind::expression    ? PartForm::tr("expression")
                      : kind == Kind::catalogue     ? PartForm::tr("catalogue")
                      : kind == Kind::default_value ? PartForm::tr("default")
                                                    : PartForm::tr("fitted");
  return value.source.assumption ? out + PartForm::tr(", assumed") : out;
}

PartForm::PartForm(Workspace& workspace, QWidget* parent)
    : VerticalScroll(parent), workspace_(workspace) {
  setObjectName(QStringLiteral("form"));
  setAccessibleName(tr("Fields"));
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
}

void PartForm::show_part(const QString& path) {
  path_ = path;
  refresh();
}

QString PartForm::signature(const client::FormPart& part) const {
  QString out = text_of(part.path + part.kind + part.product) + QString::number(look_percent());
  for (const client::FormField& field : part.fields)
    out += u'\n' + value_text(field) +
           (field.value ? provenance(*field.value, workspace_.document().name()) : QString());
  return out;
}

void PartForm::refresh() {
  for (const client::FormPart& part : workspace_.form().parts) {
    if (text_of(part.path) != path_) continue;
    const QString now = signature(part);
    if (now == shown_) return;
    // The field in the hand keeps the focus: it is found again by its name.
    QWidget* inside = focusWidget();
    const QString name = inside != nullptr ? inside->objectName() : QString();
    shown_ = now;
    rebuild(part);
    if (!name.isEmpty())
      if (auto* again = widget()->findChild<QWidget*>(name)) again->setFocus();
    return;
  }
}

void PartForm::rebuild(const client::FormPart& part) {
  auto* inside = new QWidget;
  QWidget* head = new QWidget(inside);
  QFormLayout* layout = form_in(head);
  label_width_ = 0;  // one column of names through all groups
  for (const client::FormField& field : part.fields)
    label_width_ = std::max(label_width_, fontMetrics().horizontalAdvance(text_of(field.key)));
  auto* title = new QLabel(
      QStringLiteral("<b>%1</b> %2")
          .arg(text_of(part.path).toHtmlEscaped(), text_of(part.summary).toHtmlEscaped()),
      head);
  title->setTextFormat(Qt::RichText);
  title->setWordWrap(true);
  layout->addRow(title);
  if (!part.selector.empty() && part.kinds.size() > 1) {
    auto* kinds = new QComboBox(head);
    kinds->setObjectName(QStringLiteral("kind"));
    kinds->setAccessibleName(tr("Kind of %1").arg(text_of(part.role)));
    for (const std::string& kind : part.kinds) kinds->addItem(text_of(kind));
    kinds->setCurrentText(text_of(part.kind));
    connect(kinds, &QComboBox::textActivated, this,
            [this, at = text_of(part.path + "." + part.selector)](const QString& kind) {
              workspace_.document().set(at, quoted(kind));
            });
    layout->addRow(text_of(part.selector), kinds);
  }
  add_products(part, layout);
  auto* all = column(inside);
  all->setContentsMargins(6, 0, 6, 0);
  all->addWidget(head);
  std::size_t groups = 0;
  for (int group = 0; group < static_cast<int>(client::field_groups().size()); ++group)
    groups += fields_in(part, group).empty() ? 0 : 1;
  for (int group = 0; group < static_cast<int>(client::field_groups().size()); ++group)
    if (!fields_in(part, group).empty()) add_group(part, group, groups > 1, *all, inside);
  all->addStretch(1);
  // The field that was changed is still in the middle of telling it.
  if (QWidget* before = takeWidget()) before->deleteLater();
  setWidget(inside);
  updateGeometry();
}

std::vector<const client::FormField*> PartForm::fields_in(const client::FormPart& part, int group) {
  std::vector<const client::FormField*> out;
  for (const client::FormField& field : part.fields)
    if (field.group == group) out.push_back(&field);
  return out;
}

void PartForm::add_group(const client::FormPart& part, int group, bool titled, QVBoxLayout& all,
                         QWidget* inside) {
  const std::string_view name = client::field_groups()[static_cast<std::size_t>(group)];
  const QString title = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
  if (titled) all.addWidget(heading(title, inside));
  auto* basic = new QWidget(inside);
  auto* advanced = new QWidget(inside);
  QFormLayout *shown = form_in(basic), *folded = form_in(advanced);
  int count = 0;
  for (const client::FormField* field : fields_in(part, group)) {
    const bool fold = field->untouched() && (field->optional || !field->fallback.empty());
    add_row(part, *field, fold ? advanced : basic, *(fold ? folded : shown));
    count += fold ? 1 : 0;
  }
  basic->setVisible(shown->rowCount() > 0);
  all.addWidget(basic);
  all.addWidget(advanced);
  advanced->hide();
  if (count == 0) return;
  // What is open stays open when another component of this kind, or a new value, comes.
  const QString key = text_of(part.role + " " + part.kind) + u' ' + title;
  auto* more = new QToolButton(inside);
  more->setObjectName(QStringLiteral("more:") + title);
  more->setCheckable(true);
  more->setAutoRaise(true);
  more->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  const auto open = [more, advanced, count](bool on) {
    advanced->setVisible(on);
    more->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    more->setText(on ? tr("Less") : tr("%1 more (defaults)").arg(count));
  };
  more->setToolTip(tr("Fields of which the default holds"));
  more->setAccessibleName(tr("%1: fields of which the default holds").arg(title));
  all.insertWidget(all.count() - 1, more);
  connect(more, &QToolButton::toggled, this, [this, key, open](bool on) {
    open(on);
    if (on)
      opened_.insert(key);
    else
      opened_.remove(key);
  });
  open(false);
  more->setChecked(opened_.contains(key));
}

void PartForm::add_row(const client::FormPart& part, const client::FormField& field,
                       QWidget* inside, QFormLayout& layout) {
  auto* row = new QWidget(inside);
  auto* columns = new QHBoxLayout(row);
  columns->setContentsMargins(0, 0, 0, 0);
  QWidget* editor = editor_of(field);
  editor->setParent(row);
  editor->setObjectName(QStringLiteral("field:") + text_of(part.path + "." + field.key));
  editor->setAccessibleName(text_of(field.key));
  editor->setAccessibleDescription(text_of(field.doc));
  editor->setToolTip(text_of(field.doc));
  context_menu(editor, field);
  const QString own = workspace_.document().name();
  QLabel* badge = note(field.value ? provenance(*field.value, own) : tr("left out"), row);
  if (field.value) {
    const bool here =
        field.value->source.kind == Source::Kind::scenario && badge->text() != tr("inherited");
    badge->setForegroundRole(here ? QPalette::WindowText : QPalette::PlaceholderText);
    badge->setToolTip(text_of(field.value->source.where) + u'\n' +
                      text_of(field.value->source.citation));
  }
  badge->setMinimumWidth(fontMetrics().horizontalAdvance(tr("catalogue, ")));
  columns->addWidget(editor, 3);
  columns->addWidget(badge, 2);
  auto* label = new QLabel(text_of(field.key), inside);
  label->setToolTip(text_of(field.key + ": " + field.doc));
  label->setMinimumWidth(label_width_);
  layout.addRow(label, row);
}

void PartForm::add_products(const client::FormPart& part, QFormLayout* layout) {
  static const std::vector<client::Product> all = client::products();
  auto* box = new QComboBox(layout->parentWidget());
  box->addItem(tr("none"), QString());
  for (const client::Product& product : all) {
    if (product.role != part.role) continue;
    box->addItem(text_of(product.id + ": " + product.summary), text_of(product.id));
    QString tip = text_of(product.summary);
    for (const client::Product::Figure& f : product.figures)
      tip += QStringLiteral("\n%1 = %2 (%3%4, %5)")
                 .arg(text_of(f.key), text_of(f.text), text_of(f.source),
                      f.assumption ? tr(", assumed") : QString(), text_of(f.date));
    box->setItemData(box->count() - 1, tip, Qt::ToolTipRole);
  }
  if (box->count() == 1) {
    delete box;
    return;
  }
  box->setObjectName(QStringLiteral("product"));
  box->setAccessibleName(tr("Product of the catalogue"));
  box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box->setMinimumContentsLength(8);
  box->setCurrentIndex(std::max(0, box->findData(text_of(part.product))));
  box->setToolTip(box->currentText());
  connect(box, &QComboBox::activated, this, [this, box, path = text_of(part.path)](int i) {
    const QString id = box->itemData(i).toString();
    if (id.isEmpty())
      workspace_.document().remove(path + QStringLiteral(".use"));
    else
      workspace_.document().set(path + QStringLiteral(".use"), quoted(id));
  });
  layout->addRow(tr("product"), box);
}

QWidget* PartForm::editor_of(const client::FormField& field) {
  if (field.dimension == Dimension::boolean) {
    auto* box = new QCheckBox;
    box->setChecked(field.value && field.value->number != 0.0);
    connect(box, &QCheckBox::clicked, this, [this, field](bool on) {
      write(field, on ? QStringLiteral("true") : QStringLiteral("false"));
    });
    return box;
  }
  if (field.dimension == Dimension::text && !field.choices.empty()) {
    auto* box = new QComboBox;
    for (const std::string& choice : field.choices) box->addItem(text_of(choice));
    box->setCurrentText(value_text(field));
    connect(box, &QComboBox::textActivated, this,
            [this, field](const QString& choice) { write(field, quoted(choice)); });
    return box;
  }
  const bool number = field.dimension != Dimension::text && field.dimension != Dimension::text_list;
  if (number && field.value && std::isfinite(field.value->number)) {
    auto* spin = new QuantityEdit(field.dimension, nullptr);
    spin->set_range(field.minimum, field.maximum, 0.0);
    spin->set_like(text_of(field.written));
    spin->set_value(field.value->number);
    connect(spin, &QuantityEdit::value_changed, this, [this, field, spin] {
      const QString text = spin->written();
      write(field, is_bare(field.dimension) ? text : quoted(text));
    });
    return spin;
  }
  auto* line = new QLineEdit(value_text(field));
  line->setPlaceholderText(field.optional ? tr("left out") : text_of(field.fallback));
  connect(line, &QLineEdit::editingFinished, this, [this, line, field] {
    if (!line->isModified()) return;
    line->setModified(false);
    write(field, field.dimension == Dimension::text_list ? list_literal(line->text())
                                                         : quoted(line->text()));
  });
  return line;
}

void PartForm::write(const client::FormField& field, const QString& literal) {
  workspace_.document().set(path_ + u'.' + text_of(field.key), literal);
}

void PartForm::context_menu(QWidget* editor, const client::FormField& field) {
  editor->setContextMenuPolicy(Qt::CustomContextMenu);
  const QString path = path_ + u'.' + text_of(field.key);
  connect(editor, &QWidget::customContextMenuRequested, this, [this, editor, path](QPoint at) {
    auto* menu = new QMenu(editor);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Make a slider"), this, [this, path] { workspace_.add_slider(path); });
    menu->addAction(tr("Take back what the scenario says"), this,
                    [this, path] { workspace_.document().remove(path); });
    menu->popup(editor->mapToGlobal(at));
  });
}

}  // namespace stallcast::desktop
