#include <array>

#include "models/rows.hpp"

/// Kinds of failures, and how jobs recover from them.
namespace stallcast::models {
namespace {

// Sorted by id (registry_test.cpp holds them to it).
const std::array kFailures{
    FailureRow{{"host",
                "faults of GPUs and servers: the job starts again without the host",
                {},
                host_failure_fields()},
               host_failure_style,
               host_failure_params},
    FailureRow{{"process",
                "crashes and hangs of software: the job starts again where it is",
                {},
                process_failure_fields()},
               process_failure_style,
               process_failure_params},
    FailureRow{{"rack",
                "faults of switches, power or cooling: a group of hosts is lost together",
                {},
                rack_failure_fields()},
               rack_failure_style,
               rack_failure_params},
    FailureRow{{"storage",
                "faults of targets, servers and metadata servers of a storage system: jobs go on "
                "with less",
                {},
                storage_failure_fields()},
               storage_failure_style,
               nullptr}};

}  // namespace

std::span<const FailureRow> failure_rows() { return kFailures; }

}  // namespace stallcast::models
