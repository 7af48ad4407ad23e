#pragma once

#include <array>
#include <string_view>

/// What may relieve a design that loses time. Registry rows list these; plans, runs and
/// explanations try them by simulation.
namespace stallcast::models {

/// A field that relieves a resource.
struct Remedy {
  /// Whose field it is.
  enum class Of {
    self,     ///< of what the resource belongs to
    storage,  ///< of the storage system whose client the resource is
    loader,   ///< of the loaders of jobs that use it
    checkpoint,
    recovery
  };
  /// What the resource's name says behind role and id: "ost" is also "ost.read"; "" = anything.
  std::string_view part{};
  Of of = Of::self;
  std::string_view field{};
  double factor = 0.0;      ///< it is raised by this, or ...
  std::string_view text{};  ///< ... set to this
  bool link = false;        ///< the field is quoted in bits
  bool bought = false;      ///< it is hardware: less of it is cheaper
  bool divides = false;     ///< less of the field is more of what it stands for
  bool spreads = false;     ///< more of the resource is used at a time: nothing where all of it is
  /// Where it helps those alone that read, or write, it is tried where somebody does.
  enum class Way { any, reads, writes } way = Way::any;
};

/// A field of a job's part that is set otherwise when one of these causes costs the job time.
struct Habit {
  std::array<std::string_view, 3> causes{};  ///< as a breakdown names them; "" = none
  std::string_view field{};
  double factor = 0.0;      ///< it is raised by this, or ...
  std::string_view text{};  ///< ... set to this
  bool spare = false;       ///< half of it may do where none of the causes costs anything
};

/// The kind to try where another one costs its job time.
struct Successor {
  std::string_view kind{};   ///< "" = none
  std::string_view cause{};  ///< as a breakdown names it
};

}  // namespace stallcast::models
