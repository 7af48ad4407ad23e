#include <algorithm>

#include "models/tenant/tenant.hpp"

/// Which hosts of a tenant do its operations. docs/models/tenants.md, eq. 17.
namespace stallcast::models {
namespace {

// At a line others come in between so often.    [tenants.md, eq. 15]
constexpr double kTurns = 8.0;

}  // namespace

// Processes of one host are in the groups in turn, in each as often as it has hosts (d'Hondt).
std::size_t Tenant::next_seat() {
  const auto next =
      std::min_element(clients_.begin(), clients_.end(), [](const Seat& a, const Seat& b) {
        return (a.served + 1.0) / a.hosts < (b.served + 1.0) / b.hosts;
      });
  next->served += 1.0;
  return static_cast<std::size_t>(next - clients_.begin());
}

// Those of one host are in one group; those of more are spread evenly over all. Where there are
// hosts without any, they have no more than what theirs have.    [docs/models/tenants.md, eq. 17]
std::vector<Client> Tenant::clients_for(const Operation& operation) {
  const double all = operation.seat ? clients_[*operation.seat].hosts : hosts();
  const double on = std::min({all, operation.hosts > 0.0 ? operation.hosts : all,
                              std::max(1.0, operation.members + operation.beside)});
  std::vector<Client> out;
  const auto add = [&](const Seat& seat, double members, double its_hosts) {
    Client& client = out.emplace_back(seat.client);
    client.members = members;
    client.hosts = its_hosts;
    client.spread = operation.spread;
    client.share *= operation.weight;
    client.beside = operation.beside * (members / operation.members);
    if (operation.train != nullptr) {
      client.loose = operation.train->members;
      client.share *= operation.train->together;
    }
    if (operation.sampled) client.turns = kTurns;
    const double reads = client.processes() / its_hosts;
    plant_.many_to_one(client, reads);
    client.host_read = std::min(client.host_read, operation.cap);
    client.host_write = std::min(client.host_write, operation.cap);
    if (all <= 1.0) return;
    // Those that wait for each other are on one host.
    const double each =
        std::max(its_hosts / client.processes(), on < all ? 0.0 : 1.0 / operation.together);
    const auto hold = [&](Rate& most, Rate host, ResourceIndex& held_to, ResourceIndex by) {
      if (host * each <= most) most = host * each, held_to = by;
    };
    hold(client.host_read, seat.reads.most, client.reads_held_to, seat.reads.by);
    // A few hosts do not have what many reads leave of the ports of all. [docs/models/network.md,
    // eq. 4]
    if (const double met = plant_.fabric().incast_share(reads); met < 1.0)
      hold(client.host_read, seat.client.port_write * met, client.reads_held_to,
           plant_.resources().index("host." + common_.hosts + ".nic.read"));
    hold(client.host_write, seat.client.host_write, client.held_to,
         client.limit.valid() ? plant_.resources().of_link[client.limit.index] : kNoResource);
    hold(client.port_write, seat.writes.most, client.port_held_to, seat.writes.by);
  };
  if (operation.seat) {
    add(clients_[*operation.seat], operation.members, on);
  } else if (on > 1.0 || clients_.size() == 1) {
    for (const Seat& seat : clients_)
      add(seat, operation.members * seat.hosts / all, on * seat.hosts / all);
  } else {
    add(clients_[next_seat()], operation.members, on);
  }
  return out;
}

}  // namespace stallcast::models
