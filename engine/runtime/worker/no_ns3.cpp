#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

// What SimGrid must find of ns-3, with nothing behind it: cmake/LeaveOutNs3.cmake. The symbols it
// writes down are FUNCTION(number, "mangled name") and OBJECT(number, "mangled name").
namespace {

constexpr std::size_t kLargestObject = 4096;  // a virtual table of ns-3 has some hundred bytes

/// What the static objects of SimGrid run through before `main` and after it: the resolution of
/// ns-3's clock, and one InternetStackHelper.
constexpr std::array<std::string_view, 3> kStatic = {"_ZN3ns34Time10StaticInitEv",
                                                     "_ZN3ns319InternetStackHelperC1Ev",
                                                     "_ZN3ns319InternetStackHelperD1Ev"};

/// Returns only to what may be called: "false", to the one that asks.
long called(std::string_view name) {
  if (std::find(kStatic.begin(), kStatic.end(), name) != kStatic.end()) return 0;
  std::fprintf(stderr, "%s of ns-3 was called, which this program leaves out\n", name.data());
  std::abort();
}

}  // namespace

extern "C" {
#define FUNCTION(number, name)                \
  long ns3_function_##number() __asm__(name); \
  long ns3_function_##number() { return called(name); }
#define OBJECT(number, name)                                     \
  extern char ns3_object_##number[kLargestObject] __asm__(name); \
  char ns3_object_##number[kLargestObject];
#include <no_ns3_symbols.inc>  // of the build folder
}
