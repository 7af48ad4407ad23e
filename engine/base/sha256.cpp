#include "engine/base/sha256.hpp"

// The functions that OpenSSL would rather see replaced do without its set-up, which reads its
// configuration and takes 0.8 ms: as long as resolving a scenario.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/sha.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <fstream>

#include "engine/base/file_failure.hpp"
#include "engine/base/read_buffer.hpp"

namespace stallcast::base {

namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest digest_of(std::string_view data) {
  SHA256_CTX context;
  SHA256_Init(&context);
  SHA256_Update(&context, data.data(), data.size());
  Digest digest{};
  SHA256_Final(digest.data(), &context);
  return digest;
}

std::string hex(const Digest& digest) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : digest) {
    out += kHex[byte >> 4U];
    out += kHex[byte & 15U];
  }
  return out;
}

}  // namespace

std::string sha256(std::string_view data) { return hex(digest_of(data)); }

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  SHA256_CTX context;
  SHA256_Init(&context);
  ReadBuffer piece;
  while (file.read(piece.data(), std::streamsize{ReadBuffer::size()}), file.gcount() > 0)
    SHA256_Update(&context, piece.data(), static_cast<std::size_t>(file.gcount()));
  if (!file.eof()) return file_failure("cannot read", path, errno);
  Digest digest{};
  SHA256_Final(digest.data(), &context);
  return hex(digest);
}

std::string sha256_base64(std::string_view data) {
  const Digest digest = digest_of(data);
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> text{};
  const int length = EVP_EncodeBlock(text.data(), digest.data(), SHA256_DIGEST_LENGTH);
  return {text.begin(), text.begin() + length};
}

}  // namespace stallcast::base
