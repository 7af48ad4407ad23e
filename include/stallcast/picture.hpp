#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// The system as a drawing: hosts, fabric, storage and what it consists of, from left to right, in
/// the one layout that every view draws. docs/adr/0033.
namespace stallcast {

/// A row of a box: parts of one kind, with a bar of how busy they are.
struct PicturePart {
  std::string label;                     ///< "OSTs", "NICs"
  std::string count;                     ///< "16"; "" where there is nothing to count
  std::vector<std::string> resources{};  ///< that the bar is of, the busiest counts
  std::vector<std::string> metrics{};    ///< or what it shows instead, their mean: of GPUs
};

/// Places and sizes are in units of a drawing whose letters are 13 high.
struct PictureBox {
  enum class Role { hosts, traffic, fabric, storage };
  Role role = Role::hosts;
  std::string path;      ///< in the scenario: "cluster.hosts[gpu]"
  std::string title;     ///< "64 x NVIDIA DGX H100"
  std::string subtitle;  ///< "hosts gpu, 8 GPUs each"
  std::vector<PicturePart> parts{};
  double x = 0.0, y = 0.0, width = 0.0, height = 0.0;
};

/// Data goes along it, either way. It leaves the right side of one box and ends at the left side
/// of another.
struct PictureWire {
  std::size_t from = 0, to = 0;  ///< of `Picture::boxes`
  /// What its width and colour are of: resources that all that goes along it passes.
  std::vector<std::string> resources{};
  double y_from = 0.0, y_to = 0.0;
};

struct Picture {
  std::vector<PictureBox> boxes;
  std::vector<PictureWire> wires;
  double width = 0.0, height = 0.0;
  [[nodiscard]] bool empty() const { return boxes.empty(); }
};

/// Heights within a box, shared by all who draw one.
inline constexpr double kPictureHead = 46.0, kPictureRow = 34.0, kPicturePad = 10.0;

}  // namespace stallcast
