#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <concepts>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>

// Included by copies of sources that mutate.py writes: "a + b" is "a + (mut::Plus<7>{}) + b" there,
// which is a sum unless mutant 7 is chosen. Operators keep their precedence, and each side is
// evaluated once.
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wpedantic"

namespace mut {

inline constexpr int kMost = 4096;

/// $MUTANT is the number of the one that is chosen; $MUTANTS_REACHED a file with a byte for each
/// that was reached.
inline const int chosen = [] {
  const char* text = std::getenv("MUTANT");
  return text == nullptr ? -1 : std::atoi(text);
}();
inline char* const reached = []() -> char* {
  const char* file = std::getenv("MUTANTS_REACHED");
  const int fd = file == nullptr ? -1 : ::open(file, O_RDWR | O_CLOEXEC);
  void* map =
      fd < 0 ? MAP_FAILED : ::mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fd >= 0) ::close(fd);
  return map == MAP_FAILED ? nullptr : static_cast<char*>(map);
}();

template <int N>
constexpr bool active() {
  if (std::is_constant_evaluated()) return false;
  if (reached != nullptr) reached[N] = 1;
  return chosen == N;
}

template <class L, class O>
struct Held {
  L&& left;
};

#define MUT_OPERATOR(NAME, IS, BECOMES)                                                      \
  template <int N>                                                                           \
  struct NAME {};                                                                            \
  template <class L, int N>                                                                  \
  constexpr Held<L, NAME<N>> operator IS(L&& left, NAME<N>) {                                \
    return {std::forward<L>(left)};                                                          \
  }                                                                                          \
  template <class L, int N, class R>                                                         \
  constexpr auto operator IS(Held<L, NAME<N>> held, R&& right) {                             \
    using Is = std::decay_t<decltype(std::forward<L>(held.left) IS std::forward<R>(right))>; \
    if (active<N>()) {                                                                       \
      if constexpr (requires {                                                               \
                      { held.left BECOMES right } -> std::same_as<Is>;                       \
                    })                                                                       \
        return Is(held.left BECOMES right);                                                  \
      else if constexpr (requires {                                                          \
                           { (held.left IS right) * 2.0 } -> std::same_as<Is>;               \
                         })                                                                  \
        return Is((held.left IS right) * 2.0);                                               \
    }                                                                                        \
    return Is(std::forward<L>(held.left) IS std::forward<R>(right));                         \
  }

MUT_OPERATOR(Plus, +, -)
MUT_OPERATOR(Minus, -, +)
MUT_OPERATOR(Times, *, /)
MUT_OPERATOR(Over, /, *)
MUT_OPERATOR(Less, <, <=)
MUT_OPERATOR(LessNot, <, >=)
MUT_OPERATOR(AtMost, <=, <)
MUT_OPERATOR(AtMostNot, <=, >)
MUT_OPERATOR(More, >, >=)
MUT_OPERATOR(MoreNot, >, <=)
MUT_OPERATOR(AtLeast, >=, >)
MUT_OPERATOR(AtLeastNot, >=, <)
MUT_OPERATOR(Is, ==, !=)
MUT_OPERATOR(IsNot, !=, ==)

/// "a && b" is "a && mut::true_unless<7>() && b".
template <int N>
constexpr bool true_unless() {
  return !active<N>();
}
/// "a || b" is "a || mut::false_unless<7>() || b".
template <int N>
constexpr bool false_unless() {
  return active<N>();
}

template <int N, class T>
constexpr T constant(T value) {
  if (!active<N>()) return value;
  if constexpr (std::is_integral_v<T>)
    return value + 1;
  else
    return value == T{} ? T{1} : value * 2;
}

/// One that the compiler would know if the program could not choose.
template <int N, class T>
T late(T value) {
  return constant<N>(value);
}

template <int N, class T>
constexpr const T& min(const T& a, const T& b) {
  return active<N>() ? std::max(a, b) : std::min(a, b);
}
template <int N, class T>
constexpr T min(std::initializer_list<T> of) {
  return active<N>() ? std::max(of) : std::min(of);
}
template <int N, class T>
constexpr const T& max(const T& a, const T& b) {
  return active<N>() ? std::min(a, b) : std::max(a, b);
}
template <int N, class T>
constexpr T max(std::initializer_list<T> of) {
  return active<N>() ? std::min(of) : std::max(of);
}

}  // namespace mut
