#include <algorithm>
#include <cmath>

#include "models/tenant/tenant.hpp"

/// Requests that are not simulated one by one: they flow in parts, and where storage does not keep
/// up those that wait are a backlog. docs/models/tenants.md, eq. 3 and 19.
namespace stallcast::models {
namespace {

// A flow of requests begins in so many parts at most, of which so many are under way where storage
// keeps up: with few, parts that wait for a first byte would keep others from the bytes.
//    [tenants.md, eq. 3]
constexpr double kParts = 64.0, kBehindOthers = 2.0, kFlowing = 32.0;
// A part takes so many answers: of many requests the slowest counts.
constexpr double kAnswersOfOne = 2.0, kAnswersOfMany = 16.0;
// Where more parts wait than that, parts of the backlog take so many times as long as a part, or
// so many times an answer.    [tenants.md, eq. 19]
constexpr double kBehind = 8.0, kPartsOfDrain = 2.0, kAnswers = 10.0;
// Of more requests of a backlog what they share decides, not how long an answer takes.
constexpr double kFew = 4.0;
// So many at once, where requests differ by chance and where they do not.
constexpr int kOfVaried = 4, kOfAlike = 2;

}  // namespace

sim::Task<void> Tenant::flow(OpRate rate, Seconds length, Operation request) {
  const Seconds idle =
      plant_.fabric().round_trip + request.bytes / plant_.host(common_.hosts).nic();
  const double parts = std::clamp(std::floor((rate * length).in(unit::ops)), 1.0, kParts);
  const Seconds slot = length / parts;
  const double arrive = (rate * slot).in(unit::ops);
  slot_ = slot;
  // Where the slowest of a part takes long others go on.
  const int at_once = plant_.varied(common_.on) ? kOfVaried : kOfAlike;
  request.sampled = false;
  evenly_ += rate;
  for (double part = 0.0; part < parts && !over(); ++part) {
    backlog_ += arrive;
    queued(arrive, request.bytes);
    if (flowing_ < most_parts() && draining_ == 0) {
      // In flight, by what requests take that are timed, or have taken so far (Little's law).
      const Seconds one = std::max({idle, answered_in_, latencies_.oldest(context_.now()) * 0.5});
      double processes = backlog_ / arrive * (rate * one).in(unit::ops);
      if (answered_in_ == Seconds{}) processes = std::sqrt(processes * backlog_);  // not known yet
      request.spread = slot;
      request.cap = request.bytes * backlog_ / slot;  // of all
      context_.spawn(take(request, backlog_, processes));
    } else if (draining_ < at_once && (draining_ > 0 || backlog_ > kBehind * arrive)) {
      context_.spawn(drain(request, idle, arrive));
    }
    co_await context_.sleep(slot);
  }
  evenly_ -= rate;
}

// Parts that are under way where storage keeps up: two, and those that wait for an answer; as many
// as come before one is known.
double Tenant::parts_at_once() const {
  const double answers = plant_.varied(common_.on) ? kAnswersOfMany : kAnswersOfOne;
  return least_answer_.finite() ? 2.0 + answers * (least_answer_ / slot_) : kFlowing;
}

// As many as may be. Of reads that follow each other most of what is under way would not have been
// asked for yet.
double Tenant::most_parts() const { return std::min(kBehindOthers + parts_at_once(), kFlowing); }

// So many of the backlog by as many processes, one of a process's after the other.
sim::Task<void> Tenant::take(Operation request, double requests, double processes) {
  queued(-requests, request.bytes);
  request.members = std::clamp(processes, 1.0, std::max(1.0, backlog_));
  request.requests = requests / request.members;
  request.bytes = request.bytes * request.requests;
  request.files *= request.requests;
  request.cap = request.cap / request.members;
  backlog_ -= requests;
  begun_ += requests;
  while (!turns_.empty() && (turns_.begin()->first <= begun_ || backlog_ <= 0.0))
    turns_.extract(turns_.begin()).mapped()->set();
  ++flowing_;
  const Seconds began = context_.now();
  co_await read(request);
  if (draining_ == 0 || requests <= kFew)
    least_answer_ =
        std::min(least_answer_, std::max(Seconds{}, context_.now() - began - request.spread));
  --flowing_;
}

// In parts that take about as long as those that were asked for, one after the other. All that
// wait are at the storage, and take their shares of it: so a part weighs as much as all of them.
//    [tenants.md, eq. 19]
sim::Task<void> Tenant::drain(Operation request, Seconds idle, double first) {
  request.spread = {};
  request.cap = Rate::infinity();
  ++draining_;
  // Before any answer is known a large one could take long.
  for (double part = least_answer_.finite() ? first : first / kParts; backlog_ > 0.0;) {
    // Who waits at each of its hops waits for a part at each.
    const Seconds least = least_answer_.finite() ? std::max(idle, least_answer_) : Seconds{};
    const Seconds answers = request.behind < 1.0 ? Seconds{} : least * kAnswers;
    const Seconds aim = std::max(slot_ * kPartsOfDrain, answers);
    const Seconds began = context_.now();
    const double requests = std::min(std::max(1.0, part), backlog_);
    draining_of_ += requests;
    const double waiting = (backlog_ - requests) * request.behind;
    request.weight = weight_ = 1.0 + waiting / draining_of_;
    co_await take(request, requests, requests);
    draining_of_ -= requests;
    const Seconds took = context_.now() - began;
    if (took <= Seconds{}) continue;
    // No request is less than one: what is slow then is each of them.
    part = std::max(1.0, std::clamp(requests * (aim / took), part / 2.0, part * 2.0));
  }
  --draining_;
}

// Behind all that came before it, or behind that part of them.
sim::Task<void> Tenant::wait_in_backlog(double part) {
  if (draining_ == 0 || backlog_ <= 0.0) co_return;
  sim::Signal turn(context_);
  turns_.emplace(begun_ + backlog_ * part, &turn);
  co_await turn.wait();
}

}  // namespace stallcast::models
