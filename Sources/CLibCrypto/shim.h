#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <malloc.h>  // malloc_usable_size: libcrypto frees without saying how much
#include <stdlib.h>
#include <string.h>

// Frees memory of malloc(3)'s that no compiler leaves unwiped. libcrypto frees small pieces by the hundred thousand: of
// these the call is most of the cost.
static inline void mildam_wipe_and_free(void *start) {
    typedef long long word __attribute__((may_alias));
    typedef long long two_words __attribute__((vector_size(16), may_alias));
    size_t size = malloc_usable_size(start);
    if (size > 256) {
        explicit_bzero(start, size);
    } else {
        // glibc's begins at a multiple of 16 and ends 8 bytes behind another.
        char *piece = start;
        for (; size >= 16; piece += 16, size -= 16) *(two_words *)piece = (two_words){0};
        if (size >= 8) *(word *)piece = 0, piece += 8, size -= 8;
        if (size > 0) memset(piece, 0, size);
        __asm__ volatile("" : : "r"(start) : "memory");
    }
    free(start);
}

// Macros that Swift does not import.
static const int MILDAM_PKEY_PARAMETERS = EVP_PKEY_KEY_PARAMETERS;
static const int MILDAM_PKEY_KEYPAIR = EVP_PKEY_KEYPAIR;
