#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/accelerators.hpp"
#include "engine/base/design_values.hpp"
#include "models/contract/registry.hpp"
#include "stallcast/design.hpp"
#include "stallcast/diagnostic.hpp"

/// What the rules of all parts share. Components may be incomplete when faults were already found.
namespace stallcast::scenarios {

using base::accelerators;
using base::pointer_of;

/// The field in its base unit; `fallback` when it is absent.
[[nodiscard]] double number(const Component& component, std::string_view key,
                            double fallback = 0.0);
/// Whether the scenario or an option chose the value, and another than the default: one that
/// `resolve` wrote down chooses nothing.
[[nodiscard]] bool is_chosen(models::Role role, const Component& component, std::string_view key);
[[nodiscard]] std::vector<std::string> ids_of(const std::vector<Component>& components);
/// Whether all fields are there that its kind needs: after a fault some may not be. Rules that make
/// a model of a component ask first.
[[nodiscard]] bool complete(models::Role role, const Component& component);

/// Whether the field is absent because nobody wrote it: one that was written with a fault, which
/// is reported, is not there either.
[[nodiscard]] bool lacks(const Component& component, std::string_view key,
                         const Diagnostics& report);

/// The host class of a job; nullptr when unknown.
[[nodiscard]] const Component* host_of(const Design& design, const JobDesign& job);
/// GPUs of all servers of a class.
[[nodiscard]] double gpus_of(const Component& host);
/// Ranks of a job that have a loader: one of each copy of the model; and most of them on one host.
[[nodiscard]] double readers(const Design& design, const JobDesign& job);
[[nodiscard]] double readers_of_host(const Design& design, const JobDesign& job);

/// The component that `key` of `from` names, a "host class" or a "storage system", must exist.
void check_reference(const Component& from, std::string_view key,
                     const std::vector<std::string>& ids, const std::string& what,
                     Diagnostics& report);

/// Networks that are faster than any product: scenarios/rules/storage.cpp.
void check_networks(const Component& component, Diagnostics& report);
/// Rules of a storage system: scenarios/rules/storage.cpp.
void check_storage(const Component& storage, Diagnostics& report);
/// Whether measured storage says how fast writes are, where somebody writes to it.
void check_writers(const Design& design, Diagnostics& report);
/// Rules of data set and loader: scenarios/rules/loader.cpp.
void check_loading(const Design& design, const JobDesign& job, Diagnostics& report);
/// What a job keeps in the memory of its hosts: scenarios/rules/host_memory.cpp. After all other
/// rules.
void check_host_memory(const Design& design, const JobDesign& job, Diagnostics& report);
/// Rules of fabric and communication: scenarios/rules/network.cpp.
void check_communication(const Design& design, const JobDesign& job, Diagnostics& report);
/// Fewer parameters than a model of that shape has.
void check_parameters(const JobDesign& job, Diagnostics& report);
/// NICs that are faster than the switches of the fabric, and leaves that no host fits on.
void check_ports(const Design& design, Diagnostics& report);
void check_leaves(const Design& design, Diagnostics& report);

/// Rules of a tenant: scenarios/rules/tenant.cpp.
void check_tenant(const Design& design, const Component& tenant, Diagnostics& report);
/// Rules of the stages of a pipeline: scenarios/rules/stage.cpp.
void check_stages(const Design& design, Diagnostics& report);
/// Rules of failures, recovery and lent GPUs: scenarios/rules/failures.cpp.
void check_failures(const Design& design, Diagnostics& report);

/// Rules of caches: scenarios/rules/cache.cpp. Of storage systems in front of others:
void check_caches(const Design& design, Diagnostics& report);
/// Of what hosts keep of the data set of a job. REQUIRES: it has one.
void check_dataset_cache(const Design& design, const JobDesign& job, Diagnostics& report);

/// Rules of prices: scenarios/rules/costs.cpp.
void check_prices(models::Role role, const Component& component, Diagnostics& report);

/// Values that somebody chose and that count only beside another: scenarios/rules/idle_values.cpp.
/// REQUIRES: no fault was found.
void check_idle_values(const Design& design, Diagnostics& report);

/// Whether what is to lie on each storage system fits: scenarios/rules/capacity.cpp. REQUIRES: no
/// fault was found.
void check_capacity(const Design& design, Diagnostics& report);
/// Rules of storage systems that are drives: scenarios/rules/drives.cpp.
void check_drives(const Design& design, Diagnostics& report);
/// Rules of the state of a job and how it is saved: scenarios/rules/checkpoint.cpp.
void check_saved_state(const Design& design, const JobDesign& job, Diagnostics& report);
/// Of saves that end in the memory of hosts: scenarios/rules/memory_saves.cpp. REQUIRES: the job
/// has such saves.
void check_saves_in_memory(const Design& design, const JobDesign& job, Diagnostics& report);
/// That a job says how often it saves: scenarios/rules/save_interval.cpp. REQUIRES: it does.
void check_save_interval(const JobDesign& job, Diagnostics& report);
/// Whether what is simulated holds enough saves of each job.
void check_few_saves(const Design& design, Diagnostics& report);

}  // namespace stallcast::scenarios
