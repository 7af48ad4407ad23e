#include <array>

#include "models/contract/rows.hpp"
#include "models/tenant/tenant.hpp"

/// Kinds of tenants.
namespace stallcast::models {
namespace {

// Sorted by id (registry_test.cpp holds them to it).
const std::array kTenants{
    TenantRow{{"fio", "load as a fio job describes it", tenant_common_fields(), fio_fields()},
              make_fio},
    TenantRow{{"inference", "small reads that arrive on their own, weights of starting replicas",
               tenant_common_fields(), inference_fields()},
              make_inference},
    TenantRow{
        {"ingest", "new data written at a constant rate", tenant_common_fields(), ingest_fields()},
        make_ingest},
    TenantRow{{"preprocess", "workers that read, compute and write", tenant_common_fields(),
               preprocess_fields()},
              make_preprocess},
    TenantRow{{"tracking", "logs, metrics and artifacts of experiments", tenant_common_fields(),
               tracking_fields()},
              make_tracking}};

}  // namespace

std::span<const TenantRow> tenant_rows() { return kTenants; }

}  // namespace stallcast::models
