#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "engine/runtime/codec/codec.hpp"
#include "engine/runtime/codec/protocol.hpp"
#include "tests/run/support.hpp"
#include "tests/support/designs.hpp"
#include "tests/support/programs.hpp"

namespace together_test {

using namespace stallcast;
using namespace stallcast::testing;

namespace {

/// What the worker says to `requests` when `together` simulations share a process, sorted.
std::vector<std::string> answers(const std::string& requests, int together,
                                 const std::string& fault = "") {
  const TempFolder folder;
  write_all(folder.file("in"), requests);
  const std::string command = "STALLCAST_SIM_FAULT=" + fault + " " + STALLCAST_SIM_PATH +
                              " --jobs 2 --together " + std::to_string(together) + " < " +
                              folder.file("in") + " > " + folder.file("out") + " 2> " +
                              folder.file("log");
  CHECK(std::system(command.c_str()) == 0);
  std::istringstream said(read_all(folder.file("out")));
  std::vector<std::string> out;
  for (std::string line; std::getline(said, line);)
    if (line.find("\"type\":\"progress\"") == std::string::npos) out.push_back(line);
  std::sort(out.begin(), out.end());
  return out;
}

std::string line_of(std::uint64_t id, const Design& design) {
  return codec::request_line(id, 7 + id, codec::encode(design), {}) + "\n";
}

/// Steps, reads and saves, other numbers for each.
Design with_reads(std::uint64_t i) {
  Design out = one_reader("webdataset", {{"shard", "1 GiB"}, {"sample", "1 MB"}});
  set(out.jobs[0].step, models::Role::step, "jitter", i % 2 == 0 ? "3 %" : "0 %");
  return out;
}

/// Its 8 workers and their rank are no more than its cores; threads of the storage client are.
Design short_of_cores() {
  Design out = small_design();
  set(out.hosts[0], models::Role::host, "count", "1");
  set(out.hosts[0], models::Role::host, "gpus", "1");
  set(out.hosts[0], models::Role::host, "cpu.cores", "9");
  out.jobs[0].dataset = component(
      models::Role::dataset, "raw", "dataset",
      {{"on", "scratch"}, {"sample", "16 MiB"}, {"samples", "1000000"}, {"decode", "500 ms"}});
  out.jobs[0].loader =
      component(models::Role::loader, "pytorch", "loader", {{"batch", "4"}, {"workers", "8"}});
  return out;
}

std::string many() {
  std::string out;
  for (std::uint64_t i = 0; i < 12; ++i)
    out += line_of(i, i % 3 == 0 ? small_design() : with_reads(i));
  return out;
}

/// Reads a program of its own, of as many steps as its number.
Design of_replay(int number) {
  Design out = one_reader("raw", {{"sample", "1 MB"}, {"samples", "1000"}});
  out.jobs.clear();
  Component tenant = component(models::Role::tenant, "replay", "replay",
                               {{"on", "scratch"}, {"hosts", out.hosts[0].id.c_str()}});
  set(tenant, models::Role::tenant, "program",
      program_file({{.steps = random_reads(number, 1U << 20U, 1e-3)}}).c_str());
  out.tenants = {tenant};
  return out;
}

/// Page faults of the processes that came of `work`: each process pays for its pages.
template <class Work>
long faults_of(Work work) {
  const auto until_now = [] {
    rusage used{};
    getrusage(RUSAGE_CHILDREN, &used);
    return used.ru_minflt;
  };
  const long before = until_now();
  work();
  return until_now() - before;
}

std::string of_id(const std::vector<std::string>& lines, int id) {
  const std::string wanted = "\"id\":" + std::to_string(id) + ",";
  for (const std::string& line : lines)
    if (line.find(wanted) != std::string::npos) return line;
  return "";
}

}  // namespace

TEST_CASE("a design whose cores are waited for is simulated once more") {
  const Design design = short_of_cores();
  CHECK_THROWS_AS(testing::run(design, 7, {.cores_suffice = true}), models::Refuted);
  RunResult shared = testing::run(design, 7);
  shared.presumed = {"loaders_keep_up"};
  const auto by_worker = answers(line_of(0, design), 1);
  REQUIRE(by_worker.size() == 2);  // with the greeting
  CHECK(by_worker[1].find(codec::encode(shared)) != std::string::npos);
  CHECK(answers(line_of(0, design) + line_of(1, design) + line_of(2, small_design()), 3) ==
        answers(line_of(0, design) + line_of(1, design) + line_of(2, small_design()), 1));
}

TEST_CASE("of what is presumed, one after the other is given up") {
  // Cores are short, and so are loaders, whose samples come one by one.
  Design design = short_of_cores();
  set(design.hosts[0], models::Role::host, "count", "8");
  set(design.jobs[0].step, models::Role::step, "jitter", "1 %");
  const auto refuted = [&](models::Presumed presumed) {
    try {
      (void)testing::run(design, 7, presumed);
    } catch (const models::Refuted& found) {
      return std::optional(found.which);
    }
    return std::optional<models::Presumption>();
  };
  CHECK(refuted({.cores_suffice = true}) == models::Presumption::cores_suffice);
  CHECK(refuted({.loaders_keep_up = true}) == models::Presumption::loaders_keep_up);
  CHECK(refuted({}) == std::nullopt);
  const auto by_worker = answers(line_of(0, design), 1);
  REQUIRE(by_worker.size() == 2);  // with the greeting
  CHECK(by_worker[1].find(codec::encode(testing::run(design, 7))) !=
        std::string::npos);  // nothing is
}

TEST_CASE("simulations that share a process give the same bytes as those with one of their own") {
  const std::string requests = many();
  const auto alone = answers(requests, 1);
  REQUIRE(alone.size() == 13);  // with the greeting
  for (const int together : {2, 5, 16}) CHECK(answers(requests, together) == alone);
}

TEST_CASE("one that fails takes none of those along that share its process") {
  const std::string requests = many();
  const auto well = answers(requests, 1);
  struct Case {
    std::string fault, said;
  };
  for (const Case& c : {Case{"abort@4", "\"signal\":6"}, Case{"segv@4", "\"signal\":11"},
                        Case{"exit@4", "ended with status 3"}, Case{"assert@4", "injected"},
                        Case{"escape@4", "the sandbox holds"}}) {
    INFO(c.fault);
    const auto told = answers(requests, 16, c.fault);
    REQUIRE(told.size() == well.size());
    for (int id = 0; id < 12; ++id) {
      INFO(id);
      if (id != 4) CHECK(of_id(told, id) == of_id(well, id));
    }
    INFO(of_id(told, 4));
    CHECK(of_id(told, 4).find("\"type\":\"failed\"") != std::string::npos);
    CHECK(of_id(told, 4).find(c.said) != std::string::npos);
  }
}

TEST_CASE("what needs SimGrid's transfers, and what cannot be read, is answered among others") {
  std::string requests = many();
  Design comm = small_design();
  set(comm.run, models::Role::run, "backend", "comm");
  requests.insert(0, line_of(20, comm));
  requests += "{\"id\":21,\"seed\":1,\"design\":{\"hosts\":3}}\n";
  const auto alone = answers(requests, 1), together = answers(requests, 8);
  CHECK(together == alone);
  CHECK(of_id(together, 20).find("\"type\":\"result\"") != std::string::npos);
  CHECK(of_id(together, 21).find("bad-request") != std::string::npos);
}

TEST_CASE("replays share a process with replays, and give the same bytes among others, too") {
  std::string replays, mixed;
  for (int i = 0; i < 24; ++i) {
    replays += line_of(static_cast<std::uint64_t>(i), of_replay(10 + i));
    mixed +=
        line_of(static_cast<std::uint64_t>(i), i % 3 == 1 ? small_design() : of_replay(10 + i));
  }
  for (const std::string& requests : {replays, mixed}) {
    const auto alone = answers(requests, 1);
    REQUIRE(alone.size() == 25);  // with the greeting
    for (int id = 0; id < 24; ++id)
      CHECK(of_id(alone, id).find("\"type\":\"result\"") != std::string::npos);
    for (const int together : {2, 5, 12}) CHECK(answers(requests, together) == alone);
  }
  const long apart = faults_of([&] { (void)answers(replays, 1); });
  const long shared = faults_of([&] { (void)answers(replays, 12); });
  INFO(apart << " page faults apart, " << shared << " together");
  CHECK(3 * shared < 2 * apart);
}

}  // namespace together_test
