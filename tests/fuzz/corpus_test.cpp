// Every input of tests/fuzz/corpus goes through its target: what was found once is not found again.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>

#include "engine/base/files.hpp"
#include "fuzz/target.hpp"

namespace {

std::string current;

void say_current(int number) {
  (void)!::write(STDERR_FILENO, current.data(), current.size());
  (void)!::write(STDERR_FILENO, "\n", 1);
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  if (argc != 2) return std::fputs("usage: fuzz_corpus_test tests/fuzz/corpus\n", stderr), 2;
  for (const int number : {SIGABRT, SIGSEGV, SIGFPE, SIGALRM}) ::signal(number, say_current);
  int faults = 0;
  for (const stallcast::fuzz::Target& target : stallcast::fuzz::targets()) {
    int inputs = 0;
    const fs::path folder = fs::path(argv[1]) / target.name;
    if (fs::is_directory(folder))
      for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        current = entry.path().string();
        ::alarm(60);  // one that hangs is named
        target.run(stallcast::base::read_file(entry.path()).value());
        ++inputs;
      }
    std::printf("%s: %d inputs\n", target.name.data(), inputs);
    if (inputs == 0) ++faults;
  }
  return faults == 0 ? 0 : 1;
}
