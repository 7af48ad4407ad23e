#include <algorithm>
#include <array>

#include "models/dataload/loaders.hpp"

/// The PyTorch DataLoader: worker queues are filled round robin, results are returned by index.
/// docs/models/dataloader.md.
namespace stallcast::models {
namespace {

using namespace base;

constexpr std::string_view kStyles[] = {"map", "iterable"};
constexpr std::string_view kMethods[] = {"fork", "spawn"};

struct PytorchParams {
  std::string style, method;
  bool in_order = true, pin = false;
  std::optional<Rate> collate, receive;
  Seconds import_time;
  std::int64_t import_files = 0;
  std::optional<std::string> import_on;
  Rate pin_rate;
  Fraction pin_takes;
  std::int64_t shuffle = 1, shuffle_first = 1;
  Fraction delivery, spread;
  Seconds boot, sending, names;
};
constexpr std::string_view kPytorchProbe = "own probe, PyTorch 1.13, 2 cores, 2026-11";
constexpr std::array<Field<PytorchParams>, 18> kPytorchFields{
    field("style", &PytorchParams::style, "map",
          "map: any worker loads any sample; iterable: each worker owns whole files",
          one_of(kStyles)),
    field("receive.delivery", &PytorchParams::delivery, "30 %",
          "share of the hand-over that is paid when a batch is delivered (next index, free); the "
          "rest is paid when it arrives at the training process, which may wait for an earlier one",
          between("20 %", "50 %",
                  cited(kShare, "own probe, PyTorch 1.13: 0.35-0.5 of 1.2-1.4 ms, 2026-11"),
                  "expert range: as cited 25-42 %; grows with what is freed")),
    field(
        "receive.spread", &PytorchParams::spread, "0 %",
        "standard deviation of a hand-over over its mean (lognormal): 29 % measured where 2 "
        "cores are shared",
        between("0 %", "50 %", kNonNegative, "29 % measured on 2 shared cores; busier hosts more")),
    field("receive.rate", &PytorchParams::receive, kOptional,
          "bytes of a batch that the training process maps and frees in a second, besides the time "
          "of a hand-over; absent: its size does not count",
          kPositive),
    field("boot", &PytorchParams::boot, "0 s",
          "CPU time of a started worker before its first batch: 5.6 ms measured after a fork",
          between("0 s", "50 ms", cited(kNonNegative, kPytorchProbe),
                  "5.6 ms measured after a fork; opening a data set takes longer")),
    field("names", &PytorchParams::names, "0 s",
          "core time of every rank for each file of the data set when an epoch begins: names are "
          "listed or indices shuffled",
          between("0 s", "0.2 us", kNonNegative,
                  "expert range: torch.randperm about 0.1 us an index; lists of names cost more")),
    field("in_order", &PytorchParams::in_order, "true",
          "deliver batches in the order of their indices; false needs PyTorch 2.6"),
    field("start_method", &PytorchParams::method, "fork",
          "how a worker starts: fork copies the process, spawn imports everything again",
          one_of(kMethods)),
    field("import.time", &PytorchParams::import_time, "4 s",
          "spawn: CPU time of the imports of a worker",
          between("2 s", "10 s", assumed(kNonNegative, "import of torch: 2 to 10 s"), "as cited")),
    field("import.files", &PytorchParams::import_files, "10000",
          "spawn: files a worker opens for them",
          between("5000", "20000", assumed(up_to(1e9, kNonNegative), "5 to 20 thousand with torch"),
                  "as cited")),
    field("import.on", &PytorchParams::import_on, kOptional,
          "storage system of the Python environment; local when not given"),
    field(
        "collate", &PytorchParams::collate, kOptional,
        "bytes of a batch that one core stacks and writes to shared memory in a second; free when "
        "not given",
        kPositive),
    field("sending", &PytorchParams::sending, "0 s",
          "CPU time of a worker for each batch besides its samples and bytes: taking indices, "
          "stacking, sending; 0.8 ms measured",
          cited(kNonNegative, kPytorchProbe)),
    field("pin_memory", &PytorchParams::pin, "false",
          "a thread of the training process copies batches to pinned memory"),
    field("pin.rate", &PytorchParams::pin_rate, "5 GB/s", "its copy",
          between("3 GB/s", "12 GB/s", assumed(kPositive, "one core copies 5 to 12 GB/s"),
                  "as cited; less when all processes of a host copy")),
    field("pin.takes", &PytorchParams::pin_takes, "50 %",
          "share of the hand-over that the thread takes off the training loop; it shares the GIL",
          between("20 %", "80 %", assumed(kShare),
                  "expert range: the lock leaves between a fifth and most of it")),
    field("shuffle.buffer", &PytorchParams::shuffle, "1",
          "samples in the shuffle buffer of each worker (WebDataset shuffle(1000))", up_to(1e9)),
    field("shuffle.first", &PytorchParams::shuffle_first, "100",
          "samples in that buffer before the first is given; each one given adds one more",
          cited(up_to(1e9), "WebDataset filters.py: initial=100"))};

}  // namespace

std::span<const FieldInfo> pytorch_fields() { return kInfos<kPytorchFields>; }

LoaderPolicy pytorch_policy(const Component& component) {
  const PytorchParams p = bind<kPytorchFields>(component);
  LoaderPolicy out{.in_order = p.in_order, .iterable = p.style == "iterable"};
  out.at_delivery = p.delivery.in(unit::ratio);
  out.receive = p.receive.value_or(Rate::infinity());
  out.handover_spread = p.spread.in(unit::ratio);
  out.import_time = p.boot;
  out.names = p.names;
  if (p.method == "spawn") {
    out.import_time += p.import_time;
    out.import_files = p.import_on ? static_cast<double>(p.import_files) : 0.0;
    out.import_on = p.import_on;
  }
  out.collate = p.collate.value_or(Rate::infinity());
  out.sending = p.sending;
  out.pin = p.pin;
  out.pin_rate = p.pin_rate;
  out.pin_takes = p.pin_takes;
  out.shuffle = static_cast<double>(p.shuffle);
  out.shuffle_first = std::min(static_cast<double>(p.shuffle_first), out.shuffle);
  return out;
}

}  // namespace stallcast::models
