#include "models/bounds/keeping.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "engine/base/design_values.hpp"

namespace stallcast::models {
namespace {

/// Fields that say how a byte is kept.
struct WaysToKeep {
  std::string_view data, parity, copies;
};
constexpr WaysToKeep kWays[] = {{"code.data", "code.parity", "replicas"},
                                {"object.data", "object.parity", ""},
                                {"stripe.data", "stripe.parity", ""}};

constexpr double kMany = 1e9;  // parts: stripes are as wide as they may be

}  // namespace

Keeping::Keeping(const Component& storage, double places) : places_(places) {
  if (const Value* level = storage.find("raid.level")) {
    if (level->text == "10") parity_ = 1.0;
    narrow_ = level->text == "5" || level->text == "6";
    if (!narrow_) return;
    data_ = std::numeric_limits<double>::max();
    parity_ = level->text == "5" ? 1.0 : 2.0;
    return;
  }
  for (const WaysToKeep& fields : kWays) {
    const double data = base::number_of(storage, fields.data);
    if (data > 0.0) {
      data_ = data;
      parity_ = base::number_of(storage, fields.parity);
      narrow_ = fields.data == "stripe.data";
      return;
    }
    if (fields.copies.empty() || storage.find(fields.copies) == nullptr) continue;
    parity_ = std::max(1.0, base::number_of(storage, fields.copies)) - 1.0;
    return;
  }
}

// 1 / r of r copies, k / (k + p) of a code; a stripe has no more pieces than there are places.
double Keeping::data(double parts) const {
  const double places = places_ > 0.0 ? places_ : parts;
  const double data = narrow_ ? std::clamp(places - parity_, 1.0, data_) : data_;
  return data / (data + parity_);
}

double Keeping::parts_for(double data_of_one) const {
  const double enough = data_of_one * (1.0 - 1e-12);  // rounding
  double parts = std::ceil(enough / data(kMany));
  while (parts * data(parts) < enough) ++parts;
  return parts;
}

}  // namespace stallcast::models
