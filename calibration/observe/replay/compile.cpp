#include "calibration/observe/replay/compile.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "calibration/observe/replay/lanes.hpp"
#include "calibration/observe/replay/loader_marks.hpp"
#include "calibration/observe/replay/step_sorter.hpp"
#include "calibration/observe/replay/step_writer.hpp"
#include "calibration/observe/replay/trace_figures.hpp"
#include "engine/base/counted.hpp"
#include "engine/base/quantity_text.hpp"

namespace stallcast::calibration {
namespace {

/// Threads of a trace that a replay takes; operations between two looks at whether to stop.
constexpr std::uint64_t kBetweenLooks = 4096;
constexpr std::size_t kMostThreads = std::size_t{1} << 17U;

/// Reads the operations of all files of a trace.
class Reader {
 public:
  Reader(const TraceFormat& format, const CompileOptions& options, Diagnostics& diagnostics)
      : format_(format), options_(options), diagnostics_(diagnostics), sorter_(options.folder) {}

  /// Nothing, or why it cannot go on.
  std::optional<Failure> read(const std::string& path, std::int64_t index) {
    auto opened = open_operations(format_, path, index, diagnostics_);
    if (!opened.ok()) return opened.failure();
    OperationStream& stream = **opened;
    Operation op;
    std::optional<std::int64_t> apart;
    while (stream.next(op)) {
      if (!apart) apart = stream.of_one_machine() && again(index, op) ? index * kMostPids : 0;
      op.rank += *apart;
      if (!origin_ && stream.began()) origin_ = stream.began();
      if (!keep(op, stream)) return failure_;
      if (++read_ % kBetweenLooks == 0 && options_.stop && options_.stop())
        return Failure{ExitCode::inconclusive, "interrupted while reading " + path, ""};
    }
    resolution_ = std::max(resolution_, stream.resolution().in(unit::s));
    figures_.left_out(stream.left_out());
    return std::nullopt;
  }

  Result<CompiledReplay> finish(const std::string& program) {
    if (!marks_.finish([this](const KeptOperation& mark) { return sorter_.add(mark); }))
      return no_room();
    // A worker that is a process is on the host of its training loop.
    const auto owner = [&](std::int64_t rank) {
      const auto found = marks_.owners().find(rank);
      return found == marks_.owners().end() ? rank : found->second;
    };
    std::map<std::int64_t, std::uint64_t> processes;
    for (const auto& [name, number] : threads_) processes[owner(name.first)] = 0;
    CompiledReplay out;
    out.header.processes = number_by_machine(processes, out.header);
    std::vector<std::uint64_t> process(threads_.size());
    for (const auto& [name, number] : threads_) process[number] = processes[owner(name.first)];

    figures_.files(out.header);
    out.header.events = marks_.events();
    for (const auto& [path, place] : options_.places)
      out.header.places = std::max<std::uint64_t>(out.header.places, place + std::uint64_t{1});
    StepWriter writer(program, process, figures_.begin(), resolution_);
    Lanes lanes(process, resolution_, options_.folder);
    const bool written = writer.ok() && sorter_.drain([&](const KeptOperation& op) {
      return lanes.add(op, writer);
    }) && lanes.drain(writer);
    figures_.finish(out.replay, out.header, resolution_, lanes.beside());
    writer.training().finish(out.replay.traced_training);
    marks_.notes(threads_.size(), out.replay.notes);
    note_unmarked(out.replay);
    note_unmet(out.replay);
    if (direct_ > 0)
      out.replay.notes.push_back(
          base::counted(static_cast<std::int64_t>(direct_), "reads and writes") +
          " are of files opened with O_DIRECT: each waits for the storage");
    if (!writer.finish(out.header) || !written)
      return Failure{ExitCode::bad_input, "cannot write " + program, "is there room for it?"};
    out.header = writer.header();
    out.replay.format = format_.id;
    out.replay.processes = processes.size();
    out.replay.threads = out.header.threads;
    out.replay.requests = writer.requests();
    return out;
  }
  [[nodiscard]] bool any() const { return figures_.any(); }
  /// Transfers of files that the trace does not tell.
  [[nodiscard]] std::uint64_t left_out() const { return figures_.transfers_left_out(); }

  /// Says so where a path that was asked for has no file.
  void note_unmet(Replay& replay) const {
    const auto note = [&](const char* option, const std::string& path) {
      if (!met_.contains(path))
        replay.notes.push_back(std::string(option) + " " + path +
                               ": no file of the trace is that or lies in it");
    };
    for (const std::string& path : options_.under) note("--under", path);
    for (const auto& [path, place] : options_.places) note("--map", path);
  }

  /// Says so where a good part of the training is in no step: what it waited for there is not
  /// known.
  void note_unmarked(Replay& replay) const {
    constexpr double kMostOf = 0.8;
    const auto steps = replay.traced_training.find("step");
    if (steps == replay.traced_training.end() || marks_.loops() == 0) return;
    const double each = *steps->second.time_s / static_cast<double>(marks_.loops());
    if (each >= kMostOf * replay.trace_makespan_s) return;
    replay.notes.push_back("the steps that are marked take " +
                           base::print_quantity(each, Dimension::time) + " of " +
                           base::print_quantity(replay.trace_makespan_s, Dimension::time) +
                           (marks_.loops() > 1 ? " each" : "") +
                           ": what else a training loop did takes as long as it took");
  }

 private:
  /// Whether a file has a process whose file was there: of another machine, which counts from 1,
  /// too.
  [[nodiscard]] bool again(std::int64_t index, const Operation& first) const {
    return index > 0 && threads_.contains({first.rank, first.thread});
  }
  /// Numbers `processes`, by rank: those of one machine in a block, and all blocks of one size. One
  /// more than the highest.
  std::uint64_t number_by_machine(std::map<std::int64_t, std::uint64_t>& processes,
                                  ReplayHeader& header) const {
    std::map<std::int64_t, std::vector<std::int64_t>> machines;
    std::size_t block = 0;
    for (const auto& [rank, number] : processes) {
      std::vector<std::int64_t>& here = machines[by_machine_ ? rank / kMostPids : 0];
      here.push_back(rank);
      block = std::max(block, here.size());
    }
    std::uint64_t first = 0, next = 0;
    for (const auto& [machine, ranks] : machines) {
      next = first;
      for (const std::int64_t rank : ranks) processes[rank] = next++;
      first += block;
    }
    header.machines = by_machine_ ? machines.size() : 0;
    return next;
  }

  bool keep(const Operation& op, const OperationStream& stream) {
    const auto [thread, fresh] =
        threads_.try_emplace({op.rank, op.thread}, static_cast<std::uint32_t>(threads_.size()));
    if (threads_.size() > kMostThreads) {
      failure_ = {ExitCode::bad_input, "the trace has more than 131,072 threads",
                  "replay a part of it"};
      return false;
    }
    by_machine_ = by_machine_ || (fresh && stream.of_one_machine());
    const TracedFile* file = stream.file(op.file);
    const bool elsewhere = !options_.under.empty() && !asked_for(file);
    const bool wanted = !op.failed && replayed_as(op.kind) != ReplayAction::none;
    const bool issued = wanted && !elsewhere;
    const auto began = stream.began();
    const double shift = began && origin_ ? (*began - *origin_).in(unit::s) : 0.0;
    KeptOperation kept;
    kept.start = op.start.in(unit::s) + shift;
    kept.end = op.end ? op.end->in(unit::s) + shift : std::numeric_limits<double>::quiet_NaN();
    kept.file = op.file;
    kept.offset = op.offset.value_or(ReplayStep::kNoPosition);
    kept.bytes = moves_bytes(op.kind) ? static_cast<std::uint64_t>(op.bytes.in(unit::B)) : 0;
    kept.thread = thread->second;
    kept.calls = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(op.count, std::numeric_limits<std::uint32_t>::max()));
    kept.kind = op.kind;
    kept.issued = issued;
    kept.place = file == nullptr ? 0 : place_of(*file);
    kept.direct = op.direct;
    if (issued && op.direct) ++direct_;
    figures_.add(op, issued, wanted && elsewhere, kept.start, kept.end);
    const bool done =
        op.kind != OperationKind::mark
            ? sorter_.add(kept)
            : marks_.add(op, kept.thread, kept.start, kept.end,
                         [this](const KeptOperation& mark) { return sorter_.add(mark); });
    if (!done) failure_ = no_room();
    return done;
  }
  Failure no_room() const {
    return {ExitCode::bad_input, "cannot write to " + options_.folder,
            "set TMPDIR to a folder with room for the trace"};
  }

  bool asked_for(const TracedFile* file) {
    return file != nullptr &&
           std::any_of(options_.under.begin(), options_.under.end(),
                       [&](const std::string& path) { return lies_under(*file, path); });
  }
  bool lies_under(const TracedFile& file, const std::string& path) {
    const bool begins =
        file.name.starts_with(path) &&
        (file.name.size() == path.size() || path.ends_with('/') || file.name[path.size()] == '/');
    if (!begins && file.mount != path) return false;
    met_.insert(path);
    return true;
  }
  std::uint8_t place_of(const TracedFile& file) {
    std::uint8_t out = 0;
    std::size_t longest = 0;
    for (const auto& [path, place] : options_.places)
      if (path.size() >= longest && lies_under(file, path)) {
        longest = path.size();
        out = place;
      }
    return out;
  }

  const TraceFormat& format_;
  const CompileOptions& options_;
  Diagnostics& diagnostics_;
  StepSorter sorter_;
  TraceFigures figures_;
  LoaderMarks marks_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> threads_;
  bool by_machine_ = false;  ///< ranks tell machines
  std::optional<Seconds> origin_;
  double resolution_ = 0.0;
  std::uint64_t read_ = 0;
  std::set<std::string, std::less<>> met_;  ///< paths that were asked for, of which there are files
  std::uint64_t direct_ = 0;                ///< of files that are open past memory
  Failure failure_;
};

}  // namespace

Result<CompiledReplay> compile_replay(const TraceFormat& format,
                                      const std::vector<std::string>& paths,
                                      const std::string& program, const CompileOptions& options,
                                      Diagnostics& diagnostics) {
  CompileOptions here = options;
  if (here.folder.empty()) here.folder = std::filesystem::path(program).parent_path().string();
  if (here.folder.empty()) here.folder = ".";
  Reader reader(format, here, diagnostics);
  std::int64_t index = 0;
  for (const std::string& path : each_once(paths, diagnostics))
    if (const auto fault = reader.read(path, index++)) return *fault;
  if (!reader.any() && !diagnostics.has_errors()) {
    if (reader.left_out() > 0)
      return Failure{ExitCode::bad_input,
                     paths.front() + ": all of its " +
                         base::counted(static_cast<std::int64_t>(reader.left_out()), "transfers") +
                         " are on descriptors whose opening is not in the trace",
                     "strace -y names their files, or begin before they are opened"};
    return Failure{
        ExitCode::bad_input,
        paths.front() + ": there is no operation of " + std::string(format.id) + " in it",
        "this reads " + std::string(format.summary)};
  }
  Result<CompiledReplay> out = reader.finish(program);
  if (!out.ok()) return out;
  out->replay.trace = paths.front();
  if (out->replay.operations == 0)
    out->replay.notes.insert(out->replay.notes.begin(),
                             "nothing is replayed: no operation is one on the storage");
  return out;
}

}  // namespace stallcast::calibration
