#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

#include "engine/base/fields.hpp"
#include "models/storage/pooled_store.hpp"

/// Parameters that several pooled kinds have, and the rows they agree on. A kind's parameters
/// derive from those it has; what it calls them, and its defaults with their sources, are in its
/// table.
namespace stallcast::models {

/// Of one metadata server.
struct MetadataParams {
  OpRate opens, creates;
  Seconds open_service;  ///< of one request on an idle server
  OpRate directory_creates = OpRate::infinity();
  std::optional<OpRate> directory_opens;  ///< of one directory; without it it does not limit

  /// `requests`: at the line for each of the `opens`.
  [[nodiscard]] MetadataShape metadata(double servers, double requests = 1.0) const {
    return {.servers = servers,
            .opens = opens * requests,
            .creates = creates,
            .service = open_service,
            .directory_creates = directory_creates,
            .directory_opens = directory_opens.value_or(OpRate::infinity()) * requests};
  }
};

/// Network of the servers that clients reach.
struct ServerParams {
  std::optional<Rate> nic;  ///< of one server, each direction

  [[nodiscard]] Rate network(double servers) const {
    return nic ? *nic * servers : Rate::infinity();
  }
};
inline constexpr auto kServerNic = base::field(
    "server.nic", &ServerParams::nic, base::kOptional,
    "network rate of one server, each direction; without it it does not limit", base::kPositive);

/// What a system gives of what its parts could.    [docs/models/storage.md, eq. 11]
struct DeliveredParams {
  Fraction delivered;
};
inline constexpr auto kDelivered = base::field(
    "delivered", &DeliveredParams::delivered, "100 %",
    "what arrives of all rates of drives, servers and ports, which vary together; above 100 % "
    "where they were stated too low",
    base::kPositive);

/// The parameters with the rates named brought down to it.
template <std::derived_from<DeliveredParams> Params, typename... Rates>
[[nodiscard]] Params as_delivered(Params params, Rates... rates) {
  const auto scale = [share = params.delivered.in(unit::ratio)](auto& rate) {
    if constexpr (std::same_as<std::remove_cvref_t<decltype(rate)>, Rate>)
      rate = rate * share;
    else if (rate)
      rate = *rate * share;
  };
  (scale(params.*rates), ...);
  return params;
}

/// A file that many processes write or read in pieces that end anywhere.
struct SharedFileParams {
  Seconds piece_write, piece_read;  ///< of its target by one piece, besides the data
};
/// What they mean, for kinds whose targets serve such pieces one at a time.
inline constexpr std::string_view kSharedWrite =
    "time a piece holds its target, besides its data, in a file that others write too and that "
    "does not end where blocks do: lock, read-modify-write, request";
inline constexpr std::string_view kSharedRead = "the same of a piece that is read from such a file";

/// What a process moves through the page cache of its host.
struct BufferedParams {
  Rate stream;
};
inline constexpr auto kBufferedStream =
    base::field("client.stream", &BufferedParams::stream, "2.5 GB/s",
                "most one buffered reader or writer moves (copy and page handling)",
                base::between("1.5 GB/s", "4 GB/s",
                              base::assumed(base::kPositive, "single buffered thread 2-3 GB/s"),
                              "expert range: 2-3 GB/s as cited; slower cores 1.5, large folios 4"));

/// What the client of a host moves for all its processes.
struct HostClientParams {
  std::optional<Rate> client_read, client_write;

  [[nodiscard]] ClientLimits client_limits() const {
    return {client_read.value_or(Rate::infinity()), client_write.value_or(Rate::infinity())};
  }
};
inline constexpr auto kHostRead =
    base::field("client.read", &HostClientParams::client_read, base::kOptional,
                "most one host reads through its client", base::kPositive);
inline constexpr auto kHostWrite =
    base::field("client.write", &HostClientParams::client_write, base::kOptional,
                "most one host writes through its client", base::kPositive);

}  // namespace stallcast::models
