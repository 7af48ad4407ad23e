#include <array>

#include "models/contract/rows.hpp"
#include "models/tenant/tenant.hpp"

/// Kinds of tenants.
namespace stallcast::models {
namespace {

TenantRow row(std::string_view id, std::string_view summary, const TenantKind& kind) {
  return {{id, summary, tenant_common_fields(), kind.fields}, kind.make};
}

// Sorted by id (registry_test.cpp holds them to it).
const std::array kTenants{
    row("fio", "load as a fio job describes it", fio_kind()),
    row("inference", "small reads that arrive on their own, weights of starting replicas",
        inference_kind()),
    row("ingest", "new data written at a constant rate", ingest_kind()),
    row("kv_cache",
        "inference whose keys and values are kept: reloaded, written, or computed again",
        kv_cache_kind()),
    row("preprocess", "workers that read, compute and write", preprocess_kind()),
    row("replay", "the operations of a trace, issued again", replay_kind()),
    row("tracking", "logs, metrics and artifacts of experiments", tracking_kind()),
    row("vector_database", "searches of an index: look-ups that follow from each other",
        vector_database_kind())};

}  // namespace

std::span<const TenantRow> tenant_rows() { return kTenants; }

}  // namespace stallcast::models
