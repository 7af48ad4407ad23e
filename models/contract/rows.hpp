#pragma once

#include <memory>
#include <string_view>

#include "models/contract/checkpoint.hpp"
#include "models/contract/communication.hpp"
#include "models/contract/dataset.hpp"
#include "models/contract/derivation.hpp"
#include "models/contract/fabric.hpp"
#include "models/contract/failure.hpp"
#include "models/contract/host.hpp"
#include "models/contract/loader.hpp"
#include "models/contract/registry.hpp"
#include "models/contract/storage.hpp"
#include "models/contract/training.hpp"

/// Registry rows with what makes each kind work. To add a kind: its .cpp and one row in its
/// folder's rows.cpp.
namespace stallcast::models {

class Plant;
struct StageWork;
class Tenant;

struct StorageRow {
  KindInfo info;
  std::unique_ptr<StorageModel> (*make)(const Component&);
  /// Why no file is written in pieces of many writers; empty where the kind says what they cost.
  std::string_view refuses_pieces{};
};
struct FormatRow {
  KindInfo info;
  SampleAccess (*access)(const Component&, const DatasetParams&);
};
struct LoaderRow {
  KindInfo info;
  LoaderPolicy (*policy)(const Component&);
};
struct StepRow {
  KindInfo info;
  Seconds (*mean)(const Component&, const ModelParams&, const HostParams&);
  Rule (*rule)(const ModelParams&);
};
struct CheckpointRow {
  KindInfo info;
  CheckpointStyle style;
};
struct FabricRow {
  KindInfo info;
  FabricShape (*shape)(const Component&, const FabricSite&);
};
struct CommunicationRow {
  KindInfo info;
  StepTraffic (*traffic)(const Component&, const CommunicationSite&);
};
struct TenantRow {
  KindInfo info;
  std::unique_ptr<Tenant> (*make)(const Component&, Plant&, sim::Context&, std::uint64_t seed);
  /// Files of one of its hosts that it reads and writes as long as it runs, of any size; nullptr:
  /// it opens others all the time.
  double (*files_of_host)(const Component&) = nullptr;
};
struct StageRow {
  KindInfo info;
  StageWork (*work)(const Component&);  ///< nullptr for one that is a job
};
struct FailureRow {
  KindInfo info;
  FailureStyle style;
  FailureParams (*params)(const Component&);  ///< nullptr unless it kills
};

/// All rows of a role, sorted by id. Each folder names its own kinds in its rows.cpp.
[[nodiscard]] std::span<const StorageRow> storage_rows();
[[nodiscard]] std::span<const FormatRow> format_rows();
[[nodiscard]] std::span<const LoaderRow> loader_rows();
[[nodiscard]] std::span<const StepRow> step_rows();
[[nodiscard]] std::span<const CheckpointRow> checkpoint_rows();
[[nodiscard]] std::span<const FabricRow> fabric_rows();
[[nodiscard]] std::span<const CommunicationRow> communication_rows();
[[nodiscard]] std::span<const TenantRow> tenant_rows();
[[nodiscard]] std::span<const StageRow> stage_rows();
[[nodiscard]] std::span<const FailureRow> failure_rows();

/// The row of a resolved component. REQUIRES: its kind exists.
[[nodiscard]] const StorageRow& storage_row(std::string_view kind);
/// Whether each host has `storage` in it, of its own.
[[nodiscard]] inline bool own_of_host(const Component& storage) {
  return storage_row(storage.kind).make(storage)->own_of_host();
}
[[nodiscard]] const FormatRow& format_row(std::string_view kind);
[[nodiscard]] const LoaderRow& loader_row(std::string_view kind);
[[nodiscard]] const StepRow& step_row(std::string_view kind);
[[nodiscard]] const CheckpointRow& checkpoint_row(std::string_view kind);
[[nodiscard]] const FabricRow& fabric_row(std::string_view kind);
[[nodiscard]] const CommunicationRow& communication_row(std::string_view kind);
[[nodiscard]] const TenantRow& tenant_row(std::string_view kind);
[[nodiscard]] const StageRow& stage_row(std::string_view kind);
[[nodiscard]] const FailureRow& failure_row(std::string_view kind);

}  // namespace stallcast::models
