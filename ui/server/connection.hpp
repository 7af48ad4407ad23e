#pragma once

#include <chrono>
#include <cstddef>
#include <string>

/// What the listener knows of one client.
namespace stallcast::server {

struct Connection {
  using Clock = std::chrono::steady_clock;
  /// `holding`: an answer that goes out late. `draining`: it was sent, what still comes is thrown
  /// away.
  enum class State { reading, answering, holding, writing, draining };
  int fd = -1;
  std::string client;
  State state = State::reading;
  std::string in;           ///< what was received and not answered
  std::size_t need = 0;     ///< bytes of the request that is coming, once known
  bool continued = false;   ///< "100 Continue" was sent for it
  std::string out;          ///< the answer
  std::size_t sent = 0;     ///< of it
  bool close = false;       ///< after the answer
  Clock::time_point since;  ///< the state, or the first byte of a request
  Clock::time_point until;

  static Clock::time_point in_seconds(double s) {
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
  }
  void await(double seconds) {
    since = Clock::now();
    until = in_seconds(seconds);
  }
};

}  // namespace stallcast::server
