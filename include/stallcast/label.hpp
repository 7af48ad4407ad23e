#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What people call resources and causes: the one table of words that every view uses. Paths stay
/// what `--set`, JSON and tooltips show.
namespace stallcast::label {

/// "storage.scratch.ost.write" -> "OSTs of scratch (write)", "host.gpu.gpu.copy" -> "GPU-to-host
/// copy", "job.train.barrier" -> "slowest rank of train". A part without a row is named by its own
/// words.
[[nodiscard]] std::string of_resource(std::string_view resource);

/// Resources that limit together as one name: "fabric and host.gpu.nic". of_resource() says what
/// they are called, of several of one owner his name once: "NVLink and NICs of gpu hosts".
[[nodiscard]] std::string several(std::span<const std::string> resources);
[[nodiscard]] std::string of_several(std::span<const std::string> resources);
[[nodiscard]] bool are_several(std::string_view name);
/// What such a name is of; of a single resource that.
[[nodiscard]] std::vector<std::string> each_of(std::string_view name);

/// Whether the part of `resource` has a row in the table.
[[nodiscard]] bool knows(std::string_view resource);

/// What limits: "limited by the OSTs of scratch"; of what was waited for most, and nothing was
/// tried, "waits most for the ...".
[[nodiscard]] std::string limits(std::string_view resource, bool waited);

/// Where a part stands in a drawing of the system, in the order that data comes.
enum class DrawnIn { entry, metadata, media, limit };

/// Of what a resource is one way: of "storage.scratch.ost.write" the part "ost", "OSTs".
struct NamedPart {
  std::string_view name, words;
  DrawnIn place = DrawnIn::limit;
};
/// Views into `resource` and the table.
[[nodiscard]] NamedPart part_of(std::string_view resource);

/// What people call a kind of storage or data set: "Lustre"; "" for other roles.
[[nodiscard]] std::string of_kind(std::string_view role, std::string_view kind);

/// A change as a plan or advice writes it, for people: "job.train.checkpoint.mode sync -> async" ->
/// "asynchronous saves of train", "storage.scratch.ost.count 16 -> 20" -> "OSTs of scratch
/// 16 -> 20". Parameters and values without a row stay as they are.
[[nodiscard]] std::string of_change(std::string_view change);

/// What a figure says, its statistic in words: "job.train.checkpoint.stall.max" of "s" -> "longest
/// stall per save"; of other things than jobs, or `with_job`, with the id of what it is of. Its
/// own words where nobody has put it into others.
[[nodiscard]] std::string of_metric(std::string_view full, std::string_view unit,
                                    bool with_job = false);

/// What is counted, as a change names it: "storage.scratch.ost.count" -> "OSTs of scratch".
/// Parameters stay as they are.
[[nodiscard]] std::string of_count(std::string_view name);

/// An input for people: "storage[scratch].mdt.create" -> "MDT create of scratch",
/// "cluster.hosts[gpu].gpus" -> "GPUs of gpu hosts". Parameters keep their names.
[[nodiscard]] std::string of_input(std::string_view path);

/// What a share of the time is lost to: "sync" -> "waiting for the slowest rank". "" for a cause
/// that is none of kBreakdownCauses.
[[nodiscard]] std::string_view of_cause(std::string_view cause);

}  // namespace stallcast::label
