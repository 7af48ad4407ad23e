#include "engine/decide/uncertain/scale.hpp"

#include <algorithm>
#include <cmath>

#include "engine/decide/uncertain/discrepancy.hpp"
#include "engine/decide/uncertain/posterior.hpp"

namespace stallcast::uncertain {
namespace {

/// Whether a draw is below a limit, or at it where that counts too.
double below(double limit, double value, bool at_too, ErrorScale scale, double blur,
             Possible possible) {
  // What is nothing times any factor or any odds stays nothing, and what is all stays all.
  const double end = scale.kind == ErrorScale::Kind::odds ? scale.whole : HUGE_VAL;
  const auto inside = [end](double x) { return x > 0.0 && x < end; };
  const bool within = possible.least < limit && limit < possible.most;
  const bool blurred = blur > 0.0 && within &&
                       (scale.kind == ErrorScale::Kind::linear || (inside(value) && inside(limit)));
  if (!blurred) return (at_too ? value <= limit : value < limit) ? 1.0 : 0.0;
  return 0.5 * std::erfc((scale.to(value) - scale.to(limit)) / blur / std::sqrt(2.0));
}

}  // namespace

ErrorScale ErrorScale::of(std::string_view name, std::string_view unit, double least, double most,
                          bool zero, std::optional<double> whole) {
  const bool share = unit == "ratio";
  const double all = whole.value_or(1.0);
  if ((share || whole) && discrepancy_of(name) > 0.0 && least >= 0.0 && most > 0.0 && most <= all)
    return {Kind::odds, all};
  const bool factor = !share && (zero ? least >= 0.0 && most > 0.0 : least > 0.0);
  return {factor ? Kind::factors : Kind::linear};
}

double ErrorScale::to(double value) const {
  if (kind == Kind::odds) return on_error_scale(value / whole, "ratio");
  return kind == Kind::factors ? std::log(value) : value;
}

double ErrorScale::from(double value) const {
  if (kind == Kind::odds) return whole * from_error_scale(value, "ratio");
  return kind == Kind::factors ? std::exp(value) : value;
}

double ErrorScale::slope(double value) const {
  if (kind == Kind::odds)
    return 1.0 / std::max(value / whole * (1.0 - value / whole), 1e-6) / whole;
  return kind == Kind::factors ? 1.0 / value : 1.0;
}

Held held(const std::string& op, double value, double limit, double upper, ErrorScale scale,
          double blur, Possible possible) {
  const auto at_most = [&](double to) { return below(to, value, true, scale, blur, possible); };
  const auto under = [&](double to) { return below(to, value, false, scale, blur, possible); };
  if (op == "in") return {under(limit), at_most(upper)};
  if (op == "<") return {0.0, under(limit)};
  if (op == "<=") return {0.0, at_most(limit)};
  return {op == ">" ? at_most(limit) : under(limit), 1.0};
}

double chance(const std::string& op, double value, double limit, double upper, ErrorScale scale,
              double blur, Possible possible) {
  return held(op, value, limit, upper, scale, blur, possible).share();
}

}  // namespace stallcast::uncertain
