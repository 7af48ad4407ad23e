#include "models/contract/replay_program.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/support/programs.hpp"

namespace replay_program_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

std::string why(const std::string& path) {
  const auto found = models::ReplayProgram::open(path);
  return found.ok() ? std::string() : found.failure().message;
}

// Why a program of two threads of three reads is refused, after `change` of what it begins with and
// of its threads.
template <class Change>
std::string with(Change change) {
  const auto reads = random_reads(3, 1000, 0.0);
  const std::string path = program_file({{0, reads}, {1, reads}});
  std::FILE* file = std::fopen(path.c_str(), "r+b");
  ReplayHeader header;
  std::vector<ReplayThread> threads(2);
  REQUIRE(std::fread(&header, sizeof header, 1, file) == 1);
  const long at = static_cast<long>(sizeof header + header.steps * sizeof(ReplayStep));
  REQUIRE(std::fseek(file, at, SEEK_SET) == 0);
  REQUIRE(std::fread(threads.data(), sizeof(ReplayThread), 2, file) == 2);
  change(header, threads);
  std::rewind(file);
  std::fwrite(&header, sizeof header, 1, file);
  std::fseek(file, at, SEEK_SET);
  std::fwrite(threads.data(), sizeof(ReplayThread), 2, file);
  std::fclose(file);
  return why(path);
}
using Threads = std::vector<ReplayThread>;

constexpr const char* kContradiction = "the program of a replay contradicts itself";

}  // namespace

TEST_CASE("a program that is none is refused") {
  const auto program = program_file({{0, random_reads(10, 1000, 0.0)}});
  CHECK(why(program).empty());
  CHECK(why("/nowhere") == "/nowhere: No such file or directory");
  CHECK(why("/dev/null") == "/dev/null: this is no program of a replay");
  std::FILE* file = std::fopen(program.c_str(), "ab");
  std::fputc('x', file);
  std::fclose(file);
  CHECK(why(program) == program + ": the program of a replay is not complete");
}

TEST_CASE("figures of a program that cannot be are refused") {
  CHECK(with([](ReplayHeader&, Threads&) {}).empty());
  const auto refused = [](auto change) {
    CHECK_THAT(with([&](ReplayHeader& h, Threads&) { change(h); }),
               Catch::Contains(kContradiction));
  };
  refused([](ReplayHeader& h) { h.reads = std::nan(""); });
  refused([](ReplayHeader& h) { h.read_bytes = -1.0; });
  refused([](ReplayHeader& h) { h.processes = ~0ULL; });
  refused([](ReplayHeader& h) { h.readers = 9; });
  refused([](ReplayHeader& h) { h.file_bytes = -1.0; });
  refused([](ReplayHeader& h) { h.largest_file = std::numeric_limits<double>::infinity(); });
}

TEST_CASE("a program that is not as long as it says, or counts beyond limits, is not complete") {
  const auto refused = [](auto change) {
    CHECK_THAT(with([&](ReplayHeader& h, Threads&) { change(h); }),
               Catch::EndsWith("the program of a replay is not complete"));
  };
  refused([](ReplayHeader& h) { h.threads = ~0ULL; });
  refused([](ReplayHeader& h) { h.threads = 1; });
  refused([](ReplayHeader& h) { h.events = h.steps + 1; });
  refused([](ReplayHeader& h) { h.places = 0; });
  refused([](ReplayHeader& h) { h.places = 65; });
  refused([](ReplayHeader& h) { h.steps = ~0ULL; });
  CHECK_THAT(with([](ReplayHeader& h, Threads&) { h.magic[0] ^= 1; }),
             Catch::EndsWith("this is no program of a replay"));
}

TEST_CASE("threads of a program have steps of their own") {
  const auto refused = [](auto change) {
    CHECK_THAT(with([&](ReplayHeader&, Threads& threads) { change(threads); }),
               Catch::Contains(kContradiction));
  };
  refused([](Threads& t) { t[0].first = 7; });
  refused([](Threads& t) { t[1].steps = 4; });
  refused([](Threads& t) { t[0].steps = 4; });  // seven of six
  refused([](Threads& t) { t[1].process = 2; });
}

TEST_CASE("whether all events of a program come is known without simulating it") {
  const auto ends = [](const std::vector<std::vector<ReplayStep>>& threads) {
    std::vector<ThreadSteps> parts;
    for (const auto& steps : threads) parts.push_back({0, steps});
    const auto program = models::ReplayProgram::open(program_file(parts));
    REQUIRE(program.ok());
    CHECK(program->whole());
    return program->ends();
  };
  const auto of_event = [](ReplayAction action, std::uint64_t event) {
    ReplayStep step;
    step.action = action;
    step.file = event;
    return step;
  };
  const auto post = [&](std::uint64_t e) { return of_event(ReplayAction::post, e); };
  const auto take = [&](std::uint64_t e) { return of_event(ReplayAction::take, e); };
  CHECK(ends({{take(1)}, {post(1)}}));
  CHECK(ends({{post(1), take(1)}}));
  CHECK(ends({{take(0)}}));                                     // no event
  CHECK(ends({{take(1), post(2)}, {post(1), take(2)}}));        // in turns
  CHECK_FALSE(ends({{take(2), post(1)}, {take(1), post(2)}}));  // each for the other
  CHECK_FALSE(ends({{take(1), post(1)}}));
  CHECK_FALSE(ends({{post(2), take(1)}}));
  // More than is read together, woken one by one.
  std::vector<ReplayStep> gives, takes;
  for (std::uint64_t e = 1; e <= 10000; ++e) gives.push_back(post(e)), takes.push_back(take(e));
  CHECK(ends({takes, gives, takes}));
  gives.erase(gives.begin());
  CHECK_FALSE(ends({takes, gives}));
}

}  // namespace replay_program_test
