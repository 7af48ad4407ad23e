#pragma once

#include <streambuf>
#include <string>

namespace stallcast::calibration {

/// JSON as Python writes it, with what is no JSON as null: NaN, Infinity and -Infinity stand where
/// a mean of nothing was taken.                             [docs.python.org/3/library/json.html]
class WithoutNan final : public std::streambuf {
 public:
  explicit WithoutNan(std::streambuf& from) : from_(from) {}

 private:
  int_type underflow() override {
    if (next_ == waiting_.size()) fill();
    if (waiting_.empty()) return traits_type::eof();
    char* at = &waiting_[next_++];
    setg(at, at, at + 1);
    return traits_type::to_int_type(*at);
  }

  void fill() {
    waiting_.clear();
    next_ = 0;
    const int_type got = from_.sbumpc();
    if (traits_type::eq_int_type(got, traits_type::eof())) return;
    const char c = traits_type::to_char_type(got);
    waiting_ = c;
    if (in_text_) {
      in_text_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
      return;
    }
    in_text_ = c == '"';
    if (c != 'N' && c != 'I' && c != '-') return;
    while (waiting_.size() < kLongest && is_letter(from_.sgetc()))
      waiting_ += traits_type::to_char_type(from_.sbumpc());
    if (waiting_ == "NaN" || waiting_ == "Infinity" || waiting_ == "-Infinity") waiting_ = "null";
  }
  static bool is_letter(int_type c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

  static constexpr std::size_t kLongest = 16;
  std::streambuf& from_;
  std::string waiting_;
  std::size_t next_ = 0;
  bool in_text_ = false, escaped_ = false;
};

}  // namespace stallcast::calibration
