// What one-time codes cost a C program that does nothing else.

#include <stddef.h>

// Makes `count` codes of six digits with HMAC-SHA-1 from libcrypto, its key set once, for the counters from 0 on.
// Returns the last code, or -1 when the library refused.
int otp_peer_codes(const unsigned char *_Nonnull key, size_t key_size, int count);
