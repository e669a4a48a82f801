// What an age file's chunks, or small files, cost a C program that does nothing else.

#include <stddef.h>

// Seals or opens a file's chunks of 64 KiB with ChaCha20-Poly1305 on several threads, by libcrypto.
// Returns 0, or -1 when the system or the library refused.
int seal_peer_file(const char *_Nonnull source, const char *_Nonnull target, int opening, int threads);

// Writes `count` files of `size` bytes into a folder, with one syncfs for each `batch` of them.
int seal_peer_small_files(const char *_Nonnull folder, int count, size_t size, int batch);
