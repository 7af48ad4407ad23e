#pragma once

#include <QRectF>

#include "ui/desktop/gantt_data.hpp"
#include "ui/desktop/theme.hpp"

class QPainter;

namespace stallcast::desktop {

[[nodiscard]] QColor colour_of(GanttData::What what, const Theme& theme);

/// Spans from `from` to `to` over `area`. What is narrower than a pixel shares it: the height of
/// each colour is its share of the time. `named`: with texts where there is room.
void paint_spans(QPainter& painter, const std::vector<GanttData::Span>& spans, double from,
                 double to, const QRectF& area, const Theme& theme, bool named);

}  // namespace stallcast::desktop
