#pragma once

#include <string>
#include <string_view>

/// Which resources the name of a limit stands for: asked here by every view.
namespace stallcast::base {

/// "storage.scratch.ost" of "storage.scratch.ost.read": what a resource is one way of, itself where
/// it is none.
[[nodiscard]] std::string without_way(const std::string& resource);

/// Whether `limit`, a resource or several that limit together, is `resource` or has it as a way:
/// "host.gpu.nic" is "host.gpu.nic.read" as well. What only belongs to it is another thing: the
/// locks of OSTs to OSTs, a bandwidth of storage to all of that.
[[nodiscard]] bool covers(std::string_view limit, const std::string& resource);

}  // namespace stallcast::base
