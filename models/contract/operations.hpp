#pragma once

#include <string>
#include <vector>

#include "engine/sim/sync.hpp"
#include "models/contract/storage.hpp"

/// Operations that a job may begin: `limit_operations` of jobs. docs/models/tenants.md, eq. 12.
namespace stallcast::models {

/// What the largest request of a client carries: an RPC of Lustre; NFS, SMB and S3 are near it.
inline constexpr Bytes kLargestRequest = Bytes::from(4.0, unit::MiB);

/// The operations of one job, one after the other, so many a second.
class OperationLine {
 public:
  OperationLine(sim::Context& context, ResourceTable& resources, std::string name, OpRate rate);

  /// Date at which each member of `client` may have begun `named` opens or creates and `files`
  /// reads or writes of `bytes` in all, each of one request at least. What began first goes on
  /// meanwhile.
  [[nodiscard]] Seconds admit(const Client& client, double named, Bytes bytes, double files);
  /// To blame for that.
  [[nodiscard]] ResourceIndex resource() const { return resource_; }
  [[nodiscard]] ResourceUse use(Seconds wall) const;
  void describe(sim::Ledger& ledger) { line_.describe(ledger); }

 private:
  std::string name_;
  OpRate rate_;
  ResourceIndex resource_;
  sim::ServerQueue line_;
};

}  // namespace stallcast::models
