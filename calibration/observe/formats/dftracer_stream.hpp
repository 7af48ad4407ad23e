#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "calibration/observe/builder.hpp"
#include "calibration/observe/json_walk.hpp"
#include "calibration/observe/seen_lines.hpp"
#include "calibration/observe/step_marks.hpp"
#include "calibration/observe/trace_file.hpp"
#include "stallcast/operation_stream.hpp"

namespace stallcast::calibration::dftracer {

/// Reads a .pfw line by line: gives its operations on files, and keeps what else says how a job
/// trains.
class DftracerStream final : public OperationStream, private JsonVisitor {
 public:
  explicit DftracerStream(TraceFile& trace) : trace_(trace) {}

  bool next(Operation& out) override;
  [[nodiscard]] const TracedFile* file(std::uint64_t id) const override {
    return id == 0 ? nullptr : &file_;
  }
  [[nodiscard]] std::optional<Seconds> began() const override;
  [[nodiscard]] Seconds resolution() const override { return Seconds::from(1.0, unit::us); }

  /// Steps, samples, processes, dialect: all but the operations. After the last of them.
  void finish(ObservationBuilder& builder);
  /// Samples go here as they come; nullptr: to nobody.
  ObservationBuilder* builder = nullptr;

 private:
  enum class Phase { event, counter, aggregate, metadata, other };

  void enter(std::size_t depth) override;
  void leave(std::size_t) override {}
  void value(std::size_t depth, const JsonScalar& scalar) override;

  /// False: the line is no event to look at.
  bool parse(std::string_view line);
  [[nodiscard]] Phase phase() const;
  void metadata();
  /// True when the event is an operation.
  bool event(Operation& out, bool aggregate);
  bool posix(Operation& out, OperationKind kind, bool aggregate);
  void place(Operation& out, std::string_view name);
  void application(std::string_view name, std::string_view category, Seconds start, Seconds end);
  /// What the event says of loader and training loop.
  [[nodiscard]] static LoaderMark mark_of(std::string_view name, std::string_view category);
  /// The mark for a replay; false: it is none.
  bool mark(std::string_view name, std::string_view category, Operation& out) const;
  void name_file();
  [[nodiscard]] std::uint64_t descriptor(std::int64_t fd) const;
  void lifecycle(std::string_view name);

  TraceFile& trace_;
  EventFields event_;
  SeenLines seen_;
  bool over_ = false;
  bool texts_ = false, hashed_ = false, numbered_ = false;  ///< signs of the dialects
  std::optional<std::int64_t> origin_;
  std::int64_t pid_ = 0, tid_ = 0;
  TracedFile file_;
  std::uint64_t id_ = 0;
  std::unordered_map<std::string, std::string> names_;  ///< by hash: files and hosts
  std::unordered_map<std::uint64_t, std::uint64_t> positions_;
  std::unordered_map<std::int64_t, std::string> hosts_;  ///< of processes
  std::map<std::int64_t, std::int64_t> ranks_;           ///< of processes
  /// Workers that began, by process and epoch.
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> workers_;
  std::uint64_t starts_ = 0, ends_ = 0, layered_ = 0, nameless_ = 0;
  std::string version_;
  StepMarks marks_;
  /// Where no compute is marked: what is done with a batch, and updates of the optimizer.
  StepMarks blocks_, updates_;
  /// Of each process: epochs, and trainings, which stand for them where no epoch is marked.
  std::map<std::int64_t, std::uint64_t> passes_, trains_;
};

}  // namespace stallcast::calibration::dftracer
