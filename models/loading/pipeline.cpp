#include "models/loading/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "models/contract/access.hpp"
#include "models/loading/grain.hpp"

namespace stallcast::models {

Pipeline::Pipeline(ReaderShared& shared, const LoaderParams& params, const LoaderPolicy& policy,
                   std::function<void(std::int64_t, Loaded, bool)> done)
    : shared_(shared),
      batch_(params.batch),
      decoders_(policy.decoders),
      in_order_(policy.in_order),
      done_(std::move(done)),
      any_reader_(shared.context),
      to_decode_(shared.context) {
  if (shared.site.apart && shared.dataset.sample_stdev == Bytes{})
    cuts_.emplace(shared.random.below(std::uint64_t{1} << 62), "loader", "groups");
  for (std::int64_t r = 0; r < policy.threads(params); ++r) {
    readers_.push_back(std::make_unique<Reader>(shared, static_cast<std::uint64_t>(r)));
    Reader& reader = *readers_.back();
    shared.context.spawn(read(reader, in_order_ ? reader.elements : any_reader_));
  }
  for (std::int64_t d = 0; d < decoders_; ++d) {
    decoder_threads_.push_back(std::make_unique<Decoder>());
    shared.context.spawn(decode(*decoder_threads_.back()));
  }
}

// r, r + C, r + 2 C, ...    [docs/models/dataloader.md, eq. 5]
std::int64_t Pipeline::samples_of(std::int64_t r, std::int64_t samples) const {
  const auto readers = static_cast<std::int64_t>(readers_.size());
  return (samples - r + readers - 1) / readers;
}

void Pipeline::begin_epoch(std::int64_t steps) {
  const double batches = static_cast<double>(steps);
  asked_ = 0;
  total_ = steps * batch_;
  for (std::size_t r = 0; r < readers_.size(); ++r) {
    readers_[r]->beyond = 0.0;
    readers_[r]->reader.begin_epoch(
        in_order_ ? static_cast<double>(samples_of(static_cast<std::int64_t>(r), steps * batch_))
                  : batches * static_cast<double>(batch_) / static_cast<double>(readers_.size()));
  }
}

std::int64_t Pipeline::elements_of(std::int64_t samples) const {
  const auto readers = static_cast<std::int64_t>(readers_.size());
  return std::min(samples, std::max<std::int64_t>(kElements * shared_.site.finer / readers, 1));
}

// Where readers have a sample more of some batches than of others, their elements differ.
double Pipeline::least_element() const {
  const auto each = [&](std::int64_t samples) {
    return static_cast<double>(samples) / static_cast<double>(elements_of(samples));
  };
  const auto readers = static_cast<std::int64_t>(readers_.size());
  const std::int64_t least = batch_ / readers, most = (batch_ + readers - 1) / readers;
  return least > 0 ? std::min(each(least), each(most)) : each(most);
}

void Pipeline::push(std::int64_t index) {
  Pending batch{index};
  batch.rested = std::none_of(pending_.begin(), pending_.end(),
                              [](const Pending& p) { return p.missing > 0; });
  const auto readers = static_cast<std::int64_t>(readers_.size());
  const std::int64_t before = asked_;
  asked_ += batch_;
  const double least = least_element();
  for (std::int64_t r = 0; r < readers; ++r) {
    const std::int64_t mine = samples_of(r, asked_) - samples_of(r, before);
    const std::int64_t elements = elements_of(mine);
    const double each = static_cast<double>(mine) / static_cast<double>(elements);
    // Readers that begin together, with elements of one size, would stay in step: what one has of a
    // batch ends a little sooner or later, too, but of the first, which is waited for, and the
    // last. So that cuts come in their order, that is a part of the smaller element beside it.
    Reader& reader = *readers_[static_cast<std::size_t>(r)];
    double from = reader.beyond;
    for (std::int64_t e = 0; e < elements; ++e) {
      const bool last = e + 1 == elements;
      const bool cut = cuts_ && (!last || (before > 0 && asked_ < total_));
      const double part = last ? std::min(1.0, least / each) : 1.0;
      const double to = cut ? each * (static_cast<double>(e + 1) + part * draw_cut(*cuts_))
                            : static_cast<double>(mine * (e + 1) / elements);
      const double samples = to - std::exchange(from, to);
      auto& box = in_order_ ? reader.elements : any_reader_;
      box.push({index, samples});
    }
    reader.beyond = from - static_cast<double>(mine);
    batch.missing += elements;
  }
  pending_.push_back(batch);
}

sim::Task<void> Pipeline::read(Reader& self, sim::Mailbox<Element>& elements) {
  for (;;) {
    self.clock.rest(shared_.context.now());
    Element element = co_await elements.pop();
    open(self.lane, "part of a batch", element.batch);
    element.bytes = co_await self.reader.read(element.samples, 1.0, self.clock);
    close(self.lane);
    if (decoders_ > 0)
      to_decode_.push(element);
    else
      finish(element);
  }
}

// The thread pool of the parallel map: whichever thread is free takes the next element.
sim::Task<void> Pipeline::decode(Decoder& self) {
  for (;;) {
    self.clock.rest(shared_.context.now());
    const Element element = co_await to_decode_.pop();
    open(self.lane, "part of a batch", element.batch);
    self.clock.enter(Phase::cpu, shared_.context.now());
    co_await shared_.site.cores.compute(shared_.decoding(element.samples));
    self.clock.enter(Phase::cpu, shared_.context.now(), shared_.site.cores.resource);
    close(self.lane);
    finish(element);
  }
}

void Pipeline::record(Recorder& recorder, const Timeline::Track& track) {
  const auto name = [&](const char* what, std::size_t number) -> Lane* {
    Timeline::Track mine = track;
    mine.name = what + std::to_string(number);
    return &recorder.lane(mine);
  };
  for (std::size_t r = 0; r < readers_.size(); ++r) {
    readers_[r]->lane = name("reader ", r);
    readers_[r]->clock.record(*readers_[r]->lane);
  }
  for (std::size_t d = 0; d < decoder_threads_.size(); ++d) {
    decoder_threads_[d]->lane = name("decoder ", d);
    decoder_threads_[d]->clock.record(*decoder_threads_[d]->lane);
  }
}

void Pipeline::finish(const Element& element) {
  const auto batch = in_order_
                         ? std::find_if(pending_.begin(), pending_.end(),
                                        [&](const Pending& p) { return p.index == element.batch; })
                         : std::find_if(pending_.begin(), pending_.end(),
                                        [](const Pending& p) { return p.missing > 0; });
  batch->bytes += element.bytes;
  --batch->missing;
  for (; !pending_.empty() && pending_.front().missing == 0; pending_.pop_front())
    done_(pending_.front().index, pending_.front().bytes, pending_.front().rested);
}

WaitSplit Pipeline::clocks(Seconds now) const {
  WaitSplit all;
  for (const auto& reader : readers_) all += reader->clock.read(now);
  for (const auto& decoder : decoder_threads_) all += decoder->clock.read(now);
  return all;
}

}  // namespace stallcast::models
