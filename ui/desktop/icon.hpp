#pragma once

#include <QIcon>

class QPainter;

namespace stallcast::desktop {

/// Drawn with lines on a grid of 24 by 24, in the colour of letters: sharp at every size.
enum class Sign { design, result, why, explore, share, open, save, undo, redo, pin, report };

void paint_sign(QPainter& painter, Sign sign, const QRectF& area, const QColor& colour);
[[nodiscard]] QIcon icon_of(Sign sign);

}  // namespace stallcast::desktop
