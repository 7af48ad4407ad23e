#pragma once

#include <string>

#include "stallcast/design.hpp"
#include "stallcast/picture.hpp"
#include "stallcast/prediction.hpp"

/// What a design is, in one line and in one drawing.
namespace stallcast::overview {

/// "64 x NVIDIA DGX H100 (512 GPUs), Llama 3 70B, Lustre of 16 OSTs, a save every 10 min".
[[nodiscard]] std::string system_sentence(const Design& design);

/// Boxes for host classes, other traffic, the fabric and storage systems with the parts that
/// `prediction` has figures of; a system in front of another stands left of it.
[[nodiscard]] Picture system_picture(const Design& design, const Prediction& prediction);

/// GPUs of a class of hosts, and how many of them its jobs use: fewer than all where each job says
/// "accelerators", none where nothing runs on them. All of hosts that only tenants or stages are
/// on.
struct GpuCount {
  double all = 0.0, used = 0.0;
  /// "64", "16 of 64".
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] GpuCount gpus_of(const Design& design, const Component& host);

/// What a component is called: its product ("DDN AI400X2T"), else its kind ("Lustre").
[[nodiscard]] std::string title_of(const Component& component, std::string_view role);

}  // namespace stallcast::overview
