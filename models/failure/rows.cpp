#include <array>

#include "models/contract/rows.hpp"
#include "models/failure/kinds.hpp"

/// Kinds of failures, and how jobs recover from them.
namespace stallcast::models {
namespace {

FailureRow row(std::string_view id, std::string_view summary,
               std::span<const base::FieldInfo> fields, const FailureStyle& style,
               decltype(FailureRow::params) params) {
  return {{id, summary, {}, fields}, style, params};
}

// Sorted by id (registry_test.cpp holds them to it).
const std::array kFailures{
    row("host", "faults of GPUs and servers: the job starts again without the host",
        host_failure_fields(), {.kills = true, .scope = Scope::host}, host_failure_params),
    row("process", "crashes and hangs of software: the job starts again where it is",
        process_failure_fields(), {.kills = true, .scope = Scope::process}, process_failure_params),
    row("rack", "faults of switches, power or cooling: a group of hosts is lost together",
        rack_failure_fields(), {.kills = true, .scope = Scope::rack}, rack_failure_params),
    row("storage",
        "faults of targets, servers and metadata servers of a storage system: jobs go on "
        "with less",
        storage_failure_fields(), {.kills = false, .scope = Scope::beyond}, nullptr)};

}  // namespace

std::span<const FailureRow> failure_rows() { return kFailures; }

}  // namespace stallcast::models
