#include "otp_peer.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int otp_peer_codes(const unsigned char *key, size_t key_size, int count) {
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    OSSL_PARAM parameters[] = {OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA1", 4), OSSL_PARAM_END};
    int failed = !context || !EVP_MAC_init(context, key, key_size, parameters);
    char code[7] = "";
    for (uint64_t counter = 0; counter < (uint64_t)count && !failed; counter++) {
        unsigned char message[8], digest[20];
        size_t size = 0;
        for (int place = 0; place < 8; place++) message[place] = (unsigned char)(counter >> (56 - 8 * place));
        failed = (counter && !EVP_MAC_init(context, NULL, 0, NULL)) || !EVP_MAC_update(context, message, 8)
            || !EVP_MAC_final(context, digest, &size, sizeof digest);
        const unsigned char *taken = digest + (digest[19] & 15);
        uint32_t value = (uint32_t)(taken[0] & 127) << 24 | (uint32_t)taken[1] << 16 | (uint32_t)taken[2] << 8 | taken[3];
        snprintf(code, sizeof code, "%06u", (unsigned)(value % 1000000));
    }
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
    return failed ? -1 : atoi(code);
}
