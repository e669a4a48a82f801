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

// Macros that Swift does not import.
static const int MILDAM_PKEY_PARAMETERS = EVP_PKEY_KEY_PARAMETERS;
static const int MILDAM_PKEY_KEYPAIR = EVP_PKEY_KEYPAIR;
