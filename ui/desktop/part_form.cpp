#include "ui/desktop/part_form.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
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
  return text_of(client::write_quantity(value.number, value.dimension));
}

bool is_bare(Dimension dimension) {
  return dimension == Dimension::count || dimension == Dimension::number ||
         dimension == Dimension::boolean;
}

QString list_literal(const QString& text) {
  QStringList items;
  for (const QString& item : text.split(u',', Qt::SkipEmptyParts)) items << quoted(item.trimmed());
  return u'[' + items.join(QStringLiteral(", ")) + u']';
}

}  // namespace

QString provenance(const Value& value) {
  using Kind = Source::Kind;
  const Kind kind = value.source.kind;
  const QString out = kind == Kind::scenario        ? PartForm::tr("scenario")
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
    out += u'\n' + value_text(field) + (field.value ? provenance(*field.value) : QString());
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
  auto* layout = new QFormLayout(inside);
  layout->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  layout->setRowWrapPolicy(QFormLayout::DontWrapRows);
  layout->setContentsMargins(6, 0, 6, 0);
  auto* title = new QLabel(
      QStringLiteral("<b>%1</b> %2").arg(text_of(part.path), text_of(part.summary)), inside);
  title->setWordWrap(true);
  layout->addRow(title);
  if (!part.selector.empty() && part.kinds.size() > 1) {
    auto* kinds = new QComboBox(inside);
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
  for (const client::FormField& field : part.fields) {
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
    auto* badge = new QLabel(field.value ? provenance(*field.value) : tr("left out"), row);
    badge->setEnabled(field.value && field.value->source.kind == Source::Kind::scenario);
    if (field.value)
      badge->setToolTip(text_of(field.value->source.where) + u'\n' +
                        text_of(field.value->source.citation));
    badge->setMinimumWidth(fontMetrics().horizontalAdvance(tr("catalogue, assumed")) + 4);
    columns->addWidget(editor, 1);
    columns->addWidget(badge);
    auto* label = new QLabel(text_of(field.key), inside);
    label->setToolTip(text_of(field.doc));
    layout->addRow(label, row);
  }
  setWidget(inside);
  updateGeometry();
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
  box->setMinimumContentsLength(12);
  box->setCurrentIndex(std::max(0, box->findData(text_of(part.product))));
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
    spin->set_value(field.value->number);
    connect(spin, &QuantityEdit::value_changed, this, [this, field](double value) {
      const QString text = text_of(client::write_quantity(value, field.dimension));
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
