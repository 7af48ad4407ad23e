#pragma once

#include <string>

#include "stallcast/picture.hpp"
#include "stallcast/prediction.hpp"

/// What the parts of a picture show of a prediction: the same in pages and in the explorer.
namespace stallcast::report {

struct PartLoad {
  bool known = false;
  double mean = 0.0;    ///< busy, of its capacity, over the run: of the busiest of its ways
  double in_use = 0.0;  ///< the same while anything moved
  double waited = 0.0;  ///< of the time: what was spent waiting for it
  bool limit = false;   ///< what `limit_of` names is one of them
  std::string text;     ///< "2.4 % (100 % in use)"
  std::string tip;      ///< what each way moves: "storage.scratch.ost: 1.51 GB/s of 64 GB/s"
};
[[nodiscard]] PartLoad part_load(const Prediction& prediction, const PicturePart& part);
/// Whether what limits is in `box`: one of its parts, or all that it is made of together.
[[nodiscard]] bool is_limit(const Prediction& prediction, const PictureBox& box);
[[nodiscard]] PartLoad wire_load(const Prediction& prediction, const PictureWire& wire);

/// How wide a wire is drawn, 1.5 to 9, by its load.
[[nodiscard]] double wire_width(const PartLoad& load);

}  // namespace stallcast::report
