#include <catch2/catch.hpp>
#include <csignal>
#include <string>
#include <vector>

#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/codec/timeline_codec.hpp"
#include "engine/runtime/run/record.hpp"
#include "engine/runtime/run/simulate.hpp"
#include "engine/runtime/run/warm_worker.hpp"
#include "tests/run/support.hpp"

namespace fake_worker_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

const std::string kHello = R"(say '{"type":"hello","protocol":1,"version":"0"}')";

/// A worker that is a shell script.
struct FakeWorker {
  explicit FakeWorker(const std::string& body) {
    options.worker = folder.file("worker");
    options.crash_directory = folder.path().string();
    write_all(options.worker, "#!/bin/sh\ncd " + folder.path().string() +
                                  "\nsay() { printf '%s\\n' \"$1\"; }\n" + body + "\n");
    std::filesystem::permissions(options.worker, std::filesystem::perms::owner_all);
  }
  std::vector<run::Outcome> simulate(const std::vector<run::SimulationRequest>& requests) const {
    return run::simulate(requests, options);
  }
  TempFolder folder;
  run::SimulateOptions options;
};

std::vector<run::SimulationRequest> some_requests(std::size_t count,
                                                  const std::string& id = "design") {
  Design design;
  design.id = id;
  const auto encoded = std::make_shared<const run::EncodedDesign>(design);
  std::vector<run::SimulationRequest> all;
  for (std::size_t i = 0; i < count; ++i) all.emplace_back(encoded, 100 + i);
  return all;
}

/// A shell command that answers request `id` with a result whose seed is 100 + id.
std::string answer(std::size_t id) {
  RunResult result;
  result.seed = 100 + id;
  result.metrics["m"] = {0.1 * static_cast<double>(id), "s", {}};
  result.presumed = {"loaders_keep_up"};
  return "say '{\"type\":\"result\",\"id\":" + std::to_string(id) +
         ",\"result\":" + codec::encode(result) + "}'";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The saved design that a message names.
std::string saved_file(const Failure& failure, const FakeWorker& worker) {
  for (const std::string& name : worker.folder.names())
    if (name.starts_with("stallcast-crash-") && contains(failure.message, name)) return name;
  return "";
}

}  // namespace

TEST_CASE("who records what was simulated is told what that took for granted: no run finds it") {
  const auto asked = [](bool simulated) {
    FakeWorker worker(
        kHello + (simulated ? "\nread a\n" + answer(0) : "") +
        "\nread a; say \"$a\" > asked\nsay '{\"type\":\"timeline\",\"id\":0,\"timeline\":" +
        codec::encode(Timeline{}) + "}'\ncat > /dev/null");
    run::WarmWorker warm;
    worker.options.warm = &warm;
    const auto request = some_requests(1);
    if (simulated) CHECK(worker.simulate(request)[0].ok());
    CHECK(run::record(request[0], {.end_s = 5.0}, worker.options).ok());
    return read_all(worker.folder.file("asked"));
  };
  CHECK(contains(asked(true), R"("presumed":["loaders_keep_up"],"design")"));
  CHECK_FALSE(contains(asked(false), "presumed"));
}

TEST_CASE("results come in the order of the requests whatever the worker's order") {
  const FakeWorker worker(kHello + "\nread a; read b; read c\n" + answer(2) + "\n" + answer(0) +
                          "\n" + answer(1) + "\ncat > /dev/null");
  const auto outcomes = worker.simulate(some_requests(3));
  REQUIRE(outcomes.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    REQUIRE(outcomes[i].ok());
    CHECK(outcomes[i]->seed == 100 + i);
    CHECK(outcomes[i]->metrics.at("m").value == 0.1 * static_cast<double>(i));
  }
  CHECK(no_child_left());
  CHECK(worker.folder.names() == std::vector<std::string>{"worker"});
}

TEST_CASE("no request starts no worker") {
  run::SimulateOptions options;
  options.worker = "/nonexistent/stallcast-sim";
  CHECK(run::simulate({}, options).empty());
}

TEST_CASE("progress rises to one and never falls") {
  FakeWorker worker(kHello + R"(
    say '{"type":"progress","id":0,"fraction":0.5}'
    say '{"type":"progress","id":0,"fraction":0.25}'
    read a; read b)" +
                    "\n" + answer(0) + "\n" + answer(1));
  std::vector<double> seen;
  worker.options.on_progress = [&seen](double fraction) { seen.push_back(fraction); };
  for (const auto& outcome : worker.simulate(some_requests(2))) CHECK(outcome.ok());
  REQUIRE_FALSE(seen.empty());
  CHECK(std::is_sorted(seen.begin(), seen.end()));
  CHECK(seen.back() == 1.0);
}

TEST_CASE("what is done at the time limit is kept and nothing is left running") {
  FakeWorker worker(kHello + "\nsleep 1000 & echo $! > pid\n" + answer(0) + "\nwait");
  worker.options.until = base::Deadline::in(0.5);
  const auto outcomes = worker.simulate(some_requests(3));
  CHECK(outcomes[0].ok());
  for (const std::size_t i : {1u, 2u}) {
    REQUIRE_FALSE(outcomes[i].ok());
    CHECK(outcomes[i].failure().exit == ExitCode::inconclusive);
    CHECK(contains(outcomes[i].failure().message, "time limit reached, "));
    CHECK(contains(outcomes[i].failure().message, "1 of 3 simulations done"));
  }
  CHECK(no_child_left());
  CHECK(goes_away(std::atoi(read_all(worker.folder.file("pid")).c_str())));
  CHECK(worker.folder.names() == std::vector<std::string>{"pid", "worker"});
}

TEST_CASE("a worker deaf to termination is killed") {
  FakeWorker worker("trap '' TERM\n" + kHello + "\nwhile :; do sleep 1000; done");
  worker.options.until = base::Deadline::in(0.3);
  const auto outcomes = worker.simulate(some_requests(1));
  CHECK(outcomes[0].failure().exit == ExitCode::inconclusive);
  CHECK(no_child_left());
}

TEST_CASE("an interrupt ends the call early and is not a crash") {
  FakeWorker worker(kHello + "\n" + answer(0) + "\nsleep 1000");
  worker.options.on_progress = [](double) { run::interrupt_flag() = SIGINT; };
  const auto outcomes = worker.simulate(some_requests(2));
  run::interrupt_flag() = 0;
  CHECK(outcomes[0].ok());
  REQUIRE_FALSE(outcomes[1].ok());
  CHECK(outcomes[1].failure().exit == ExitCode::inconclusive);
  CHECK(
      contains(outcomes[1].failure().message, "interrupted by signal 2, 1 of 2 simulations done"));
  CHECK(no_child_left());
}

TEST_CASE("a failed simulation names its saved design and the others go on") {
  const FakeWorker worker(kHello + R"(
    read a; read b
    say '{"type":"failed","id":0,"reason":"crashed","signal":11,"message":"noise\nlast words"}')" +
                          "\n" + answer(1));
  const auto outcomes = worker.simulate(some_requests(2));
  CHECK(outcomes[1].ok());
  REQUIRE_FALSE(outcomes[0].ok());
  const Failure& failure = outcomes[0].failure();
  CHECK(failure.exit == ExitCode::internal);
  CHECK(contains(failure.message, "seed 100 crashed, killed by signal 11 (SIGSEGV): last words"));
  const std::string file = saved_file(failure, worker);
  REQUIRE_FALSE(file.empty());
  CHECK(contains(failure.hint, "stallcast-sim < "));
  const auto design = some_requests(1)[0].design;
  CHECK(file == "stallcast-crash-" + design->hash.substr(0, 12) + "-seed100.json");
  CHECK(read_all(worker.folder.file(file)) ==
        "{\"id\":0,\"seed\":100,\"design\":" + design->text + "}\n");
  CHECK(worker.folder.names().size() == 2);  // no temporary file besides
}

TEST_CASE("a design that cannot be saved is said to be so") {
  FakeWorker worker(kHello +
                    "\nsay '{\"type\":\"failed\",\"id\":0,\"reason\":\"killed\",\"signal\":9}'");
  worker.options.crash_directory = worker.folder.file("missing/folder");
  const auto outcomes = worker.simulate(some_requests(1));
  CHECK(contains(outcomes[0].failure().message, "was killed, killed by signal 9 (SIGKILL)"));
  CHECK(contains(outcomes[0].failure().message, "could not be saved"));
}

TEST_CASE("a worker that dies takes down only its own requests") {
  FakeWorker worker(kHello + "\nread a\n" + answer(0) + "\necho 'out of luck' >&2\nkill -9 $$");
  const auto outcomes = worker.simulate(some_requests(3));
  CHECK(outcomes[0].ok());
  const Failure& running = outcomes[1].failure();
  CHECK(running.exit == ExitCode::internal);
  CHECK(contains(running.message, "the worker killed by signal 9 (SIGKILL): out of luck"));
  CHECK_FALSE(saved_file(running, worker).empty());
  const Failure& waiting = outcomes[2].failure();  // one job: it had not begun
  CHECK(waiting.exit == ExitCode::internal);
  CHECK(contains(waiting.message, "not simulated"));
  CHECK(worker.folder.names().size() == 2);
  CHECK(no_child_left());
}

TEST_CASE("results are handed out as they come, and only those of simulations that ended") {
  FakeWorker worker(kHello + "\nread a\n" + answer(0) + "\nkill -9 $$");
  std::vector<std::pair<std::size_t, bool>> heard;
  worker.options.on_outcome = [&](std::size_t id, const run::Outcome& outcome) {
    heard.emplace_back(id, outcome.ok());
  };
  const auto outcomes = worker.simulate(some_requests(3));
  REQUIRE(outcomes.size() == 3);
  // the second ran when the worker died; the third had not begun
  CHECK(heard == std::vector<std::pair<std::size_t, bool>>{{0, true}, {1, false}});
}

TEST_CASE("a worker that never reads its large input does not kill the caller by SIGPIPE") {
  const auto requests = some_requests(2, std::string(std::size_t{4} << 20, 'x'));
  const FakeWorker worker("exit 7");
  const auto outcomes = worker.simulate(requests);
  for (const auto& outcome : outcomes) {
    CHECK(outcome.failure().exit == ExitCode::internal);
    CHECK(contains(outcome.failure().message, "exited with status 7"));
  }
  CHECK(no_child_left());
}

TEST_CASE("a worker that talks before it listens does not block on large inputs") {
  const auto requests = some_requests(6, std::string(std::size_t{1} << 20, 'x'));
  std::string body = kHello + R"(
    i=0
    while [ $i -lt 4000 ]; do
      say '{"type":"progress","id":0,"fraction":0.001,"padding":"....................."}'
      i=$((i+1))
    done
    head -n 6 > /dev/null)";
  for (std::size_t i = 0; i < requests.size(); ++i) body += "\n" + answer(i);
  for (const auto& outcome : FakeWorker(body).simulate(requests)) CHECK(outcome.ok());
}

TEST_CASE("words that do not follow the protocol are an internal failure") {
  for (const std::string& words :
       {std::string("say 'Segmentation violation'"), kHello + "\nsay '[1,2]'",
        kHello + "\nsay '{\"type\":\"result\",\"id\":7,\"result\":{}}'",
        std::string(R"(say '{"type":"hello","protocol":999}')"), answer(0)}) {
    const auto outcomes = FakeWorker(words + "\nsleep 1000").simulate(some_requests(1));
    INFO(words);
    REQUIRE_FALSE(outcomes[0].ok());
    CHECK(outcomes[0].failure().exit == ExitCode::internal);
    CHECK(contains(outcomes[0].failure().message, "unexpected"));
  }
  CHECK(no_child_left());
}

TEST_CASE("a result that cannot be read fails that simulation only") {
  const FakeWorker worker(kHello + "\nsay '{\"type\":\"result\",\"id\":0,\"result\":{}}'\n" +
                          "head -n 2 > /dev/null\n" + answer(1));
  const auto outcomes = worker.simulate(some_requests(2));
  CHECK(outcomes[1].ok());
  REQUIRE_FALSE(outcomes[0].ok());
  CHECK(outcomes[0].failure().exit == ExitCode::internal);
  CHECK_FALSE(saved_file(outcomes[0].failure(), worker).empty());
}

TEST_CASE("a worker that closes its output and stays is stopped") {
  const auto outcomes = FakeWorker(kHello + "\nexec 1>&-\nsleep 1000").simulate(some_requests(1));
  CHECK(outcomes[0].failure().exit == ExitCode::internal);
  CHECK(no_child_left());
}

TEST_CASE("a caller that ignores SIGCHLD still gets its results") {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const auto outcomes =
      FakeWorker(kHello + "\n" + answer(0) + "\ncat > /dev/null").simulate(some_requests(1));
  std::signal(SIGCHLD, before);
  CHECK(outcomes[0].ok());
}

TEST_CASE("a call leaves no file descriptor open") {
  const FakeWorker worker(kHello + "\n" + answer(0) + "\ncat > /dev/null");
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 3; ++i) CHECK(worker.simulate(some_requests(1))[0].ok());
  CHECK(open_descriptors() == before);
}

TEST_CASE("a missing worker is named with what to do") {
  run::SimulateOptions options;
  options.worker = "/nonexistent/stallcast-sim";
  const auto named = run::simulate(some_requests(2), options);
  REQUIRE(named.size() == 2);
  CHECK(named[1].failure().exit == ExitCode::bad_input);
  CHECK(contains(named[1].failure().message, "/nonexistent/stallcast-sim"));

  setenv("STALLCAST_SIM", "/nonexistent/from-variable", 1);
  const auto by_variable = run::simulate(some_requests(1), {});
  unsetenv("STALLCAST_SIM");
  CHECK(contains(by_variable[0].failure().message, "/nonexistent/from-variable"));
  CHECK(contains(by_variable[0].failure().hint, "STALLCAST_SIM"));
}

TEST_CASE("STALLCAST_SIM names the worker to use") {
  const FakeWorker worker(kHello + "\n" + answer(0) + "\ncat > /dev/null");
  setenv("STALLCAST_SIM", worker.options.worker.c_str(), 1);
  const auto outcomes = run::simulate(some_requests(1), {});
  unsetenv("STALLCAST_SIM");
  CHECK(outcomes[0].ok());
}

}  // namespace fake_worker_test
