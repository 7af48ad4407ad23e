#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stallcast/value_table.hpp"

/// A Design is a scenario with nothing left open: catalogue references, parameters, variants and
/// defaults are resolved, every number is in its SI base unit and says where it came from. It needs
/// no file; its canonical JSON (engine/runtime/codec) and the hash of that are its identity.
namespace stallcast {

/// One thing described by a field table: a host class, a storage system, the loader of a job.
/// Keys are dotted paths below the component ("ost.read"). Every field of its kind's table is
/// present, except optional ones that were left out.
struct Component {
  std::string id;       ///< as the user named it; equal to the role for parts of a job
  std::string kind;     ///< registry row, for example "lustre", "pytorch"
  std::string pointer;  ///< JSON pointer in the resolved scenario, for messages
  std::string product;  ///< catalogue entry it was taken from, or ""
  ValueTable values;

  /// nullptr when the optional field was left out.
  [[nodiscard]] const Value* find(std::string_view key) const {
    const auto it = values.find(key);
    return it == values.end() ? nullptr : &it->second;
  }
};

/// One training job. `hosts`, `dataset on` and `checkpoint to` refer to other components by id;
/// the references are checked before a Design exists.
struct JobDesign {
  Component job;                        ///< kind "training": hosts, accelerators, epochs, ...
  Component model;                      ///< parameter count and shape
  Component step;                       ///< GPU time of one step
  std::optional<Component> dataset;     ///< what is read; none: the job reads nothing
  std::optional<Component> loader;      ///< present when there is a dataset
  std::optional<Component> checkpoint;  ///< none: the job never saves
  std::optional<Component> communication = std::nullopt;  ///< none: ranks only meet at the barrier
  std::optional<Component> recovery = std::nullopt;       ///< none: the usual detection and restart
  std::optional<Component> elastic = std::nullopt;  ///< none: its GPUs are its own all the time
  /// Its GPU utilization each time that a profile says it was observed, with the same readers on
  /// the same hosts; 0..1. How sure a prediction is follows from it: not part of a design's
  /// identity.
  std::vector<double> observed_use = {};
};

/// One assertion of the scenario, checked by `run` and `check`.
struct Expectation {
  std::string id;
  std::string that;        ///< "job.train.gpu.utilization >= 95 %"
  std::string level;       ///< "error" or "warn"
  std::string why;         ///< shown when it fails
  std::string pointer;     ///< JSON pointer of the assertion
  std::string waive = {};  ///< why `check` accepts that it fails for now; "" = it does not
  std::string until = {};  ///< last day of the waiver, "2027-03-01"
  std::string where = {};  ///< "file:line:column" of `that`, for messages
  /// In how many of all cases it must hold, 0..1; none: the prediction as such decides.
  std::optional<double> confidence = std::nullopt;

  /// Whether it follows from a storage system that says how much it holds, and nobody wrote it.
  [[nodiscard]] bool implied() const { return pointer.starts_with("/storage"); }
};

/// Everything that decides a prediction. Immutable once made.
struct Design {
  std::string id;
  std::string file;  ///< the scenario file, for messages; not part of the identity
  std::vector<Component> hosts;
  Component fabric;
  std::vector<Component> storage;
  std::vector<JobDesign> jobs;
  std::vector<Component> tenants;   ///< other traffic on the same systems
  std::vector<Component> stages;    ///< of a pipeline, jobs among them
  std::vector<Component> failures;  ///< what breaks, and how often
  Component run;                    ///< kind "run": duration, seed, replicas, ...
  std::vector<Expectation> expect;

  /// nullptr when no host class / storage system has that id.
  [[nodiscard]] const Component* find_host(std::string_view id_) const;
  [[nodiscard]] const Component* find_storage(std::string_view id_) const;
};

inline const Component* Design::find_host(std::string_view id_) const {
  for (const Component& c : hosts)
    if (c.id == id_) return &c;
  return nullptr;
}

inline const Component* Design::find_storage(std::string_view id_) const {
  for (const Component& c : storage)
    if (c.id == id_) return &c;
  return nullptr;
}

}  // namespace stallcast
