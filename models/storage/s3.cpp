#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/base/random.hpp"
#include "models/contract/storage.hpp"
#include "models/storage/kinds.hpp"
#include "models/storage/others.hpp"
#include "models/storage/request_limit.hpp"
#include "models/storage/s3_call.hpp"
#include "models/storage/s3_delays.hpp"
#include "models/storage/s3_draws.hpp"
#include "models/storage/s3_params.hpp"
#include "models/storage/scaled_links.hpp"

/// S3 and compatible object stores. Equations, sources and valid range: docs/models/s3.md.
namespace stallcast::models {
namespace {

using namespace base;

class S3 final : public StorageModel {
 public:
  explicit S3(const Component& component)
      : name_("storage." + component.id), p_(s3_params(component)), delays_(p_.spread) {}

  bool varied() const override { return p_.spread > 1.0; }

  void build(graph::Topology& topology, const StorageLoad& load) override {
    using enum graph::NodeRole;
    largest_ = load.largest;
    const Rate none = Rate::infinity();
    const std::string own = name_ + ".server";
    source_ = topology.add_node(name_ + ".objects.out", target);
    sink_ = topology.add_node(name_ + ".objects.in", target);
    egress_ = topology.add_node(name_ + ".egress", network);
    ingress_ = topology.add_node(name_ + ".ingress", network);
    const auto drives_out = topology.add_node(own + ".out", target);
    const auto drives_in = topology.add_node(own + ".in", target);
    // Reads and writes share the drives, each at most at its own rate.    [s3.md, eq. 9]
    if (load.written)
      topology.add_edge(drives_in, drives_out, own,
                        servers(std::max(p_.server_read, p_.server_write)));
    const auto port_out = topology.add_node(own + ".port.out", network);
    const auto port_in = topology.add_node(own + ".port.in", network);
    topology.add_edge(source_, load.written ? drives_in : drives_out, name_ + ".read",
                      p_.read_ceiling.value_or(none));
    topology.add_edge(load.written ? drives_out : drives_in, sink_, name_ + ".write",
                      p_.write_ceiling.value_or(none));
    topology.add_edge(drives_out, port_out, own + ".read", servers(p_.server_read));
    topology.add_edge(port_in, drives_in, own + ".write", servers(p_.server_write));
    topology.add_edge(port_out, egress_, own + ".nic.read", servers(p_.server_nic));
    topology.add_edge(ingress_, port_in, own + ".nic.write", servers(p_.server_nic));
  }
  graph::NodeId read_source() const override { return source_; }
  graph::NodeId write_sink() const override { return sink_; }
  graph::NodeId egress() const override { return egress_; }
  graph::NodeId ingress() const override { return ingress_; }

  // All of it is done by the process, page cache and copies of the host left out.  [s3.md, eq. 6]
  ClientLimits client_limits() const override {
    ClientLimits out{.by_fabric = false, .page_cache = false};
    out.steps.push_back({CoreStep::Work::client, true, p_.client});
    if (p_.tls) out.steps.push_back({CoreStep::Work::tls, true});
    return out;
  }

  void attach(sim::Context& context, ResourceTable& resources, Seconds,
              std::uint64_t seed) override {
    context_ = &context;
    resources_ = &resources;
    seed_ = seed;
    const BackOff back_off{p_.retry_base, p_.retry_cap};
    const double prefixes = static_cast<double>(p_.prefixes);
    gets_.emplace(context, resources, name_ + ".prefixes.get", p_.get_rate * prefixes, p_.burst,
                  back_off);
    puts_.emplace(context, resources, name_ + ".prefixes.put", p_.put_rate * prefixes, p_.burst,
                  back_off);
    if (p_.ramp_every)
      for (RequestLimit* limit : {&*gets_, &*puts_})
        limit->grow({*p_.ramp_every, p_.ramp_factor, p_.ramp_most});
    const std::string own = name_ + ".server";
    server_links_ =
        ScaledLinks(context, resources,
                    {own, own + ".read", own + ".write", own + ".nic.read", own + ".nic.write"});
    first_byte_ = resources.index(name_ + ".first_byte");
    put_ = resources.index(name_ + ".put");
    rename_ = resources.index(name_ + ".rename");
    connection_ = resources.index(name_ + ".connection");
    core_ = resources.index(name_ + (p_.tls ? ".client.tls" : ".client.core"));
    library_ = resources.index(name_ + ".client.put");
  }
  bool asks_to_open() const override { return p_.open_requests > 0.0; }
  sim::Task<Served> open(const Client& client, double files) override {
    const double heads = files * p_.open_requests;
    if (!(heads > 0.0)) return sim::known(Served{});
    return ask_about(client, *gets_, first_byte_,
                     {heads, std::min(heads, 1.0), p_.first_byte, {.files = heads}});
  }
  sim::Task<Served> rename(const Client& client, double files, Bytes each) override {
    return ask_about(client, *puts_, put_, renames_of(files, each, client.members, p_));
  }

  sim::Task<Served> read(const Client& client, const ReadRequest& request) override {
    return serve_in_turns(client, *gets_, client.read_path, client.reads_at_most(),
                          get(client, request, gets_of(request, p_)));
  }
  bool reads_once() const override { return true; }
  bool read_once(const Client& client, const ReadRequest& request, OneTransfer& told) override {
    const S3Gets gets = gets_of(request, p_);
    if (client.staggered || gets.requests > gets.at_once ||
        !gets_->has_room(client.members * gets.at_once))
      return false;
    const S3Call call = get(client, request, gets);
    (void)gets_->ask(client, gets.at_once);
    told = one_transfer(client, *gets_, client.reads_at_most(), call);
    told.later = flow_of(client, client.read_path, client.reads_at_most(), call);
    return true;
  }
  Served read_ended(const Client& client, const OneTransfer& told,
                    const sim::FlowOutcome& flow) override {
    return served(client, told, flow, flow.ended - told.asked, Seconds{});
  }

  // No object is written in place: each request, or bytes without a file of their own, is one.
  sim::Task<Served> write(const Client& client, const WriteRequest& request) override {
    const double files = request.files > 0.0 ? request.files : std::max(request.requests, 1.0);
    const Bytes object = request.bytes / files;
    const Cut body = cut(object, p_.put_part, p_.put_parallel);
    // An upload in parts is begun and completed by a request each.    [s3.md, eq. 4]
    const double around = body.requests > 1.0 ? 2.0 : 0.0;
    const double requests = files * (around + body.requests);
    // A save ends when the last member's last connection has its answer.
    const S3Chain chain{files, around + body.turns, body.connections};
    // Requests of a closed loop go on one by one.
    const double members =
        request.apart || request.requests > 0.0 ? 1.0 : std::max(client.members, 1.0);
    const Seconds delay = delay_of(p_.answer, chain, members, draws_of(client).delay);
    return serve_in_turns(client, *puts_, client.write_path, client.writes_at_most(),
                          {.requests = requests,
                           .at_once = std::min(requests, body.connections),
                           .bytes = request.bytes,
                           .connections = p_.connection * body.speedup,
                           .library = p_.client_put,
                           .delay = delay,
                           .turns = chain.all_turns(),
                           .apart = around > 0.0 ? around + 1.0 : 1.0,
                           .delayed_by = put_,
                           .tail = tail_of(delay, chain)});
  }

  void report(Seconds wall, std::vector<ResourceUse>& out) const override {
    gets_->report(wall, out), puts_->report(wall, out);
  }
  void count_requests(RequestCounts& out) const override { gets_->count(out), puts_->count(out); }

  // An outage, or answers of 503, refuse requests; those under way go on. A server that is gone
  // takes its drives along.    [s3.md, eq. 7]
  double parts(StoragePart part) const override {
    if (part == StoragePart::server) return static_cast<double>(p_.servers.value_or(0));
    return part == StoragePart::service ? 1.0 : 0.0;
  }
  void scale(StoragePart part, double factor) override {
    if (part == StoragePart::server) return server_links_.scale(*context_, factor);
    failed_ = failed_ || factor < 1.0;
    gets_->scale(factor);
    puts_->scale(factor);
  }

  void remark(RunResult& out) const override {
    const double asked = gets_->asked() + puts_->asked();
    if (asked == 0.0) return;
    const std::int64_t most = std::max(gets_->most_tries(), puts_->most_tries());
    out.metrics[name_ + ".throttled"] = {
        (gets_->refused() + puts_->refused()) / asked, "ratio", {}};
    out.metrics[name_ + ".tries.most"] = {static_cast<double>(most), "count", {}};
    if (p_.ramp_every)
      out.metrics[name_ + ".ramped"] = {std::max(gets_->grown(), puts_->grown()), "count", {}};
    if (most > p_.retry_tries)
      out.warnings.push_back(name_ + ": a request was tried " + std::to_string(most) +
                             " times; clients give up after " + std::to_string(p_.retry_tries) +
                             // More prefixes are as unavailable as the others.
                             (failed_ ? " (\"retry.tries\"): it failed for longer than they try"
                                      : ": spread the objects over more prefixes"));
  }

  Countable countable() const override {
    const Bytes largest = largest_ > Bytes{} ? largest_ : p_.get_part;
    const Bytes get = p_.get_parallel > 1 ? std::min(largest, p_.get_part) : largest;
    if (p_.servers)
      return {.noun = "servers",
              .unit_read = std::min(p_.server_read, p_.server_nic),
              .unit_write = std::min(p_.server_write, p_.server_nic),
              .separate = true};
    return {.noun = "prefixes",
            .unit_read = p_.get_rate * get,
            .unit_write = p_.put_rate * p_.put_part,
            .separate = true};
  }

 private:
  using Path = std::vector<sim::LinkId>;

  [[nodiscard]] S3Call get(const Client& client, const ReadRequest& request, const S3Gets& gets) {
    const Cut& body = gets.body;
    // The delay of one member stands for the class: members differ from class to class.
    //    [s3.md, eq. 2]
    const S3Chain chain{request.files, gets.before + body.turns, body.connections};
    // Of many requests that come evenly it is as in the mean.    [tenants.md, eq. 3]
    const Seconds delay = client.spread > Seconds{}
                              ? p_.first_byte * delays_.mean(chain) + setup() * chain.all_turns()
                              : delay_of(p_.first_byte, chain, 1.0, draws_of(client).delay);
    // The others have delays of their own: the longest is the largest of as many chains.
    //    [folding.md, eq. 5]
    Seconds behind;
    if (client.unseen >= 1.0)
      behind =
          std::max(Seconds{},
                   delay_of(p_.first_byte, chain, client.unseen, draws_of(client).others) - delay);
    return {.requests = gets.requests,
            .at_once = gets.at_once,
            .bytes = request.bytes,
            .connections = p_.connection * body.speedup,
            .delay = delay,
            .turns = chain.all_turns(),
            .delayed_by = first_byte_,
            .behind = behind,
            .tail = tail_of(delay, chain)};
  }
  Rate servers(Rate one) const {
    return p_.servers ? one * static_cast<double>(*p_.servers) : Rate::infinity();
  }
  S3Draws& draws_of(const Client& client) {
    while (client.id >= draws_.size()) draws_.emplace_back(seed_, name_, draws_.size());
    return draws_[client.id];
  }
  // Requests for room first, then their answers, one after the other.
  sim::Task<Served> ask_about(const Client& client, RequestLimit& limit, ResourceIndex answers,
                              S3Asked all) {
    const Seconds asked = context_->now();
    const RequestLimit::Turn turn = limit.ask(client, all.requests);
    const bool refused = co_await limit.pass(turn, turn.wait, client.members * all.requests);
    Seconds waited = context_->now() - asked;
    const Seconds lost = lost_by(client, limit, all.requests, all.at_once, waited, refused);
    if (lost > Seconds{}) co_await context_->sleep(lost);
    waited += lost;
    const Seconds delay = delay_of(all.median, all.chain, all.members, draws_of(client).delay);
    co_await context_->sleep(delay + all.copies);
    co_return Served{draws_of(client).blame.charge(
        {{limit.resource(), waited}, {answers, delay}, {rename_, all.copies}})};
  }
  // The longest of `members`, with their handshakes.    [s3.md, eq. 2]
  Seconds delay_of(Seconds median, const S3Chain& chain, double members,
                   base::RandomStream& random) {
    return median * delays_.draw(chain, members, random) + setup() * chain.all_turns();
  }
  Seconds setup() const {
    return p_.requests_per_connection ? p_.setup / *p_.requests_per_connection : Seconds{};
  }
  Tail tail_of(Seconds delay, const S3Chain& chain) const {
    return delays_.tail(delay - setup() * chain.all_turns(), chain);
  }

  // Others come in between of what is asked for bit by bit.    [dataloader.md, "grain"]
  sim::Task<Served> serve_in_turns(const Client& client, RequestLimit& limit, const Path& path,
                                   Rate host, const S3Call& all) {
    const double parts = std::floor(std::min(client.turns, all.requests / all.at_once));
    if (parts <= 1.0) return serve(client, limit, path, host, all);
    S3Call call = all;
    call.requests /= parts, call.bytes /= parts, call.delay /= parts, call.turns /= parts;
    call.apart = std::max(1.0, call.apart / parts);
    return serve_parts(client, limit, path, host, call, parts);
  }
  sim::Task<Served> serve_parts(const Client& client, RequestLimit& limit, const Path& path,
                                Rate host, S3Call part, double parts) {
    for (; parts > 1.0; --parts) (void)co_await serve(client, limit, path, host, part);
    co_return co_await serve(client, limit, path, host, part);
  }

  [[nodiscard]] OneTransfer one_transfer(const Client& client, const RequestLimit& limit, Rate host,
                                         const S3Call& call) const {
    return {.own = own_limit(client, host, call),
            .asked = context_->now(),
            .delay = call.delay,
            .delayed_by = call.delayed_by,
            .line = limit.resource(),
            .behind = call.behind,
            .tail = call.tail};
  }
  // The first requests wait for their turn, the others do while the first are served; all do of
  // clients that do not begin together.    [s3.md, eq. 1]
  sim::Task<Served> serve(const Client& client, RequestLimit& limit, const Path& path, Rate host,
                          const S3Call& call) {
    const double first = client.staggered ? 0.0 : call.at_once;
    const auto turn = first > 0.0 ? limit.ask(client, first) : RequestLimit::Turn{};
    if (call.requests <= first && turn.wait <= Seconds{} && !limit.changed())
      return serve_at_once(client, flow_of(client, path, host, call),
                           one_transfer(client, limit, host, call));
    return serve_in_line(client, limit, path, host, call, first, turn);
  }
  sim::Task<Served> serve_at_once(const Client& client, sim::LaterFlow later, OneTransfer one) {
    const sim::FlowOutcome flow = co_await context_->transfer_after(later.after, later.flow);
    waits_for_others(client, *context_, later.flow, flow);
    co_return read_ended(client, one, flow);
  }
  // Each connection asks for its next part when it has the answer to the one before. More go on at
  // a time where there is room.    [s3.md, eq. 5]
  sim::Task<Served> serve_in_line(const Client& client, RequestLimit& limit, const Path& path,
                                  Rate host, S3Call call, double first, RequestLimit::Turn turn) {
    Seconds since = context_->now();
    bool refused = false;
    if (first > 0.0) refused = co_await limit.pass(turn, turn.wait, client.members * first);
    Seconds waited = context_->now() - since;
    const OneTransfer one = one_transfer(client, limit, host, call);
    sim::LaterFlow part = flow_of(client, path, host, call);
    const Bytes all = part.flow.bytes;
    S3Moved moved;
    for (double ready = first, left = call.requests - first; ready + left > 0.0;) {
      since = context_->now();
      const double ahead = first > 0.0 ? limit.ahead(client, left, call.at_once) : 0.0;
      if (ahead > 0.0) (void)limit.ask(client, ahead), left -= ahead;
      const double next = first <= 0.0 ? left : ahead > 0.0 ? 0.0 : std::min(left, call.at_once);
      const double early = first > 0.0 ? limit.above_burst(client, next) : next;
      if (early > 0.0) turn = limit.ask(client, early);
      const double moving = first > 0.0 ? ready + ahead : call.requests;
      if (moving > 0.0) {
        part.flow.bytes = all * (moving / call.requests);
        const sim::FlowOutcome flow = co_await context_->transfer_after(part.after, part.flow);
        waits_for_others(client, *context_, part.flow, flow);
        moved.add(flow, flow.ended - since);
        part.after = {};
      }
      if (next > 0.0) {
        const Seconds ended = context_->now();
        Seconds wait = std::max(Seconds{}, since + turn.wait - ended);
        if (early < next) turn = limit.ask(client, next - early), wait = turn.wait;
        if (co_await limit.pass(turn, wait, client.members * next)) refused = true;
        waited += context_->now() - ended;
      }
      left -= next;
      ready = first > 0.0 ? next : 0.0;
    }
    const Seconds lost = lost_by(client, limit, call.requests, call.at_once, waited, refused);
    if (lost > Seconds{}) co_await context_->sleep(lost);
    co_return served(client, one, moved.last(), moved.took(), waited + lost);
  }
  // `moved`: from the first requests' turn to the last byte; it waited besides.
  Served served(const Client& client, const OneTransfer& one, const sim::FlowOutcome& flow,
                Seconds moved, Seconds waited) {
    const Seconds delayed = std::min(one.delay, moved);
    const ResourceIndex by = draws_of(client).blame.charge(
        {{one.line, waited},
         {one.delayed_by, delayed},
         {flow.binding.valid() ? resources_->of_link[flow.binding.index] : one.own,
          moved - delayed}});
    return {by, one.behind, one.delayed_by, one.tail};
  }
  // What a connection by itself cannot exceed.
  ResourceIndex own_limit(const Client& client, Rate host, const S3Call& call) const {
    const ResourceIndex held =
        call.delayed_by == put_ ? client.write_limit(kNoResource) : client.read_limit(kNoResource);
    if (held != kNoResource && host <= std::min(call.connections, call.library)) return held;
    if (call.library < std::min(call.connections, client.core)) return library_;
    return call.connections <= client.core ? connection_ : core_;
  }
  // A connection's requests share the wait; what they lost is the time from there being room to the
  // next try.    [s3.md, eq. 5]
  Seconds lost_by(const Client& client, RequestLimit& limit, double requests, double at_once,
                  Seconds waited, bool counted) {
    const Seconds each = waited / std::max(requests / at_once, 1.0);
    if (!limit.refuses(each)) return {};
    const double count = counted ? 0.0 : client.members * requests;
    return limit.back_off(each, count, draws_of(client).jitter) - each;
  }

  std::string name_;
  S3Params p_;
  S3Delays delays_;
  Bytes largest_;
  graph::NodeId source_, sink_, egress_, ingress_;
  std::uint64_t seed_ = 0;
  sim::Context* context_ = nullptr;
  ResourceTable* resources_ = nullptr;
  std::optional<RequestLimit> gets_, puts_;
  bool failed_ = false;  ///< once, or served less
  ScaledLinks server_links_;
  ResourceIndex first_byte_ = kNoResource, put_ = kNoResource, connection_ = kNoResource,
                core_ = kNoResource, library_ = kNoResource, rename_ = kNoResource;
  std::vector<S3Draws> draws_;  // by class of clients
};

}  // namespace

StorageKind s3_kind() { return {s3_fields(), make_storage<S3>}; }

}  // namespace stallcast::models
