#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/codec/protocol.hpp"
#include "engine/runtime/codec/timeline_codec.hpp"
#include "fuzz/target.hpp"

/// What the program and its worker say to each other.
namespace stallcast::fuzz {

void fuzz_worker_request(std::string_view input) {
  const std::optional<std::uint64_t> id = codec::request_id(input);
  const codec::WorkerRequest request = codec::read_request(input);
  require(!id || !request.id || *id == *request.id, "a request has one id");
  if (!request.design.ok())
    return require(!request.design.failure().message.empty(), "a failure says why");
  const std::string text = codec::encode(*request.design);
  const auto again = codec::decode_design(text);
  require(again.ok() && codec::encode(*again) == text, "a design reads back");
  (void)codec::design_hash(*request.design);
}

void fuzz_worker_message(std::string_view input) {
  const auto message = codec::read_message(input);
  if (!message) return;
  if (message->result && message->result->ok()) {
    const std::string text = codec::encode(**message->result);
    const auto again = codec::decode_run_result(text);
    require(again.ok() && codec::encode(*again) == text, "a result reads back");
  }
  if (message->timeline && message->timeline->ok()) {
    const std::string text = codec::encode(**message->timeline);
    const auto again = codec::decode_timeline(text);
    require(again.ok() && codec::encode(*again) == text, "a timeline reads back");
  }
}

}  // namespace stallcast::fuzz
