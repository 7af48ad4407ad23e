#include "ui/desktop/slider_row.hpp"

#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QWheelEvent>
#include <cmath>

#include "ui/desktop/quantity_edit.hpp"

namespace stallcast::desktop {
namespace {

constexpr int kPlaces = 1000;
constexpr int kKeysRestMs = 800;

/// Lets the wheel scroll the view, unless it has the focus.
class StillSlider : public QSlider {
 public:
  using QSlider::QSlider;

 protected:
  void wheelEvent(QWheelEvent* event) override {
    if (hasFocus())
      QSlider::wheelEvent(event);
    else
      event->ignore();
  }
};

}  // namespace

SliderRow::SliderRow(Workspace& workspace, const SliderSpec& spec, QWidget* parent)
    : QWidget(parent), workspace_(workspace), spec_(spec) {
  setObjectName(QStringLiteral("slider:") + spec.path);
  auto* label = new QLabel(spec.label, this);
  label->setWordWrap(true);
  label->setToolTip(spec.doc);
  slider_ = new StillSlider(Qt::Horizontal, this);
  slider_->setRange(0, kPlaces);
  slider_->setPageStep(kPlaces / 20);
  slider_->setAccessibleName(spec.label);
  slider_->setAccessibleDescription(spec.doc);
  slider_->setToolTip(spec.doc);
  edit_ = new QuantityEdit(spec.dimension, this);
  edit_->setAccessibleName(tr("Value of %1").arg(spec.label));
  edit_->set_range(-1e300, 1e300, spec.step);
  auto* close = new QToolButton(this);
  close->setText(QStringLiteral("\u2715"));
  close->setAutoRaise(true);
  close->setToolTip(tr("No slider for %1").arg(spec.label));
  close->setAccessibleName(close->toolTip());
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 2, 0, 6);
  layout->setVerticalSpacing(1);
  layout->addWidget(label, 0, 0, 1, 3);
  layout->addWidget(slider_, 1, 0);
  layout->addWidget(edit_, 1, 1);
  layout->addWidget(close, 1, 2);
  layout->setColumnStretch(0, 3);
  layout->setColumnStretch(1, 2);

  rest_.setSingleShot(true);
  rest_.setInterval(kKeysRestMs);
  connect(&rest_, &QTimer::timeout, this, [this] { merge_ = 0; });
  connect(slider_, &QSlider::sliderPressed, this, [this] { merge_ = 0; });
  connect(slider_, &QSlider::sliderReleased, this, [this] { merge_ = 0; });
  connect(slider_, &QSlider::valueChanged, this,
          [this](int place) { move(value_at(place), true); });
  connect(edit_, &QuantityEdit::value_changed, this, [this](double value) { move(value, false); });
  connect(
      close, &QToolButton::clicked, this, [this] { workspace_.remove_slider(spec_.path); },
      Qt::QueuedConnection);
  show_value(spec);
}

double SliderRow::value_at(int place) const {
  const double at = static_cast<double>(place) / kPlaces;
  if (spec_.logarithmic) return spec_.minimum * std::pow(spec_.maximum / spec_.minimum, at);
  return spec_.minimum + at * (spec_.maximum - spec_.minimum);
}

int SliderRow::place_of(double value) const {
  const double at = spec_.logarithmic && value > 0.0
                        ? std::log(value / spec_.minimum) / std::log(spec_.maximum / spec_.minimum)
                        : (value - spec_.minimum) / (spec_.maximum - spec_.minimum);
  return static_cast<int>(std::lround(at * kPlaces));
}

void SliderRow::show_value(const SliderSpec& spec) {
  spec_ = spec;
  edit_->set_like(spec.written);
  edit_->set_value(spec.value);
  if (moving_) return;  // the handle stays where the hand is
  const QSignalBlocker quiet(slider_);
  slider_->setValue(place_of(spec.value));
}

void SliderRow::drag_to(double value) {
  slider_->setSliderDown(true);
  slider_->setValue(place_of(value));
  slider_->setSliderDown(false);
}

void SliderRow::move(double value, bool by_handle) {
  if (merge_ == 0) merge_ = workspace_.document().new_merge();
  rest_.start();
  moving_ = by_handle;
  SliderSpec wide = spec_;
  wide.minimum = std::min(wide.minimum, value);
  wide.maximum = std::max(wide.maximum, value);
  workspace_.move_slider(wide, value, merge_);
  moving_ = false;
}

}  // namespace stallcast::desktop
