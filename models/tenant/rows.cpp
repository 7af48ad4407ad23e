#include <array>

#include "models/contract/rows.hpp"
#include "models/tenant/tenant.hpp"

/// Kinds of tenants.
namespace stallcast::models {
namespace {

// What they alone report, besides what all do.
constexpr std::array<std::string_view, 1> kInference{"weights.load*"};
constexpr std::array<std::string_view, 1> kIngest{"behind"};
constexpr std::array<std::string_view, 5> kKvCache{"ttft*", "itl*", "load*", "gpu.*", "tokens"};
constexpr std::array<std::string_view, 1> kPreprocess{"chunk*"};
constexpr std::array<std::string_view, 11> kReplay{
    "makespan", "io",       "cached",  "unwritten",     "step*",         "wait*",
    "reads.*",  "writes.*", "syncs.*", "metadata.time", "metadata.count"};
constexpr std::array<std::string_view, 1> kTracking{"database.*"};
constexpr std::array<std::string_view, 2> kVectorDatabase{"queries", "query*"};

TenantRow row(std::string_view id, std::string_view summary, const TenantKind& kind,
              std::span<const std::string_view> figures = {}) {
  KindInfo info{id, summary, tenant_common_fields(), kind.fields};
  info.figures = figures;
  return {info, kind.make, kind.files_of_host};
}

// Sorted by id (registry_test.cpp holds them to it).
const std::array kTenants{
    row("fio", "load as a fio job describes it", fio_kind()),
    row("inference", "small reads that arrive on their own, weights of starting replicas",
        inference_kind(), kInference),
    row("ingest", "new data written at a constant rate", ingest_kind(), kIngest),
    row("kv_cache",
        "inference whose keys and values are kept: reloaded, written, or computed again",
        kv_cache_kind(), kKvCache),
    row("preprocess", "workers that read, compute and write", preprocess_kind(), kPreprocess),
    row("replay", "the operations of a trace, issued again", replay_kind(), kReplay),
    row("tracking", "logs, metrics and artifacts of experiments", tracking_kind(), kTracking),
    row("vector_database", "searches of an index: look-ups that follow from each other",
        vector_database_kind(), kVectorDatabase)};

}  // namespace

std::span<const TenantRow> tenant_rows() { return kTenants; }

}  // namespace stallcast::models
