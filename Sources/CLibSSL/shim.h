#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// What the headers give as macros only, under names of its own.

static inline long mildam_ssl_ctx_set_min_version(SSL_CTX *_Nonnull context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline long mildam_ssl_ctx_set_groups(SSL_CTX *_Nonnull context, const char *_Nonnull list) {
    return SSL_CTX_set1_groups_list(context, list);
}

static inline long mildam_ssl_ctx_set_mode(SSL_CTX *_Nonnull context, long mode) {
    return SSL_CTX_set_mode(context, mode);
}

static inline long mildam_ssl_set_server_name(SSL *_Nonnull session, const char *_Nonnull name) {
    return SSL_set_tlsext_host_name(session, name);
}

static inline int mildam_err_reason(unsigned long code) {
    return ERR_GET_REASON(code);
}

static inline long mildam_ssl_modes(void) {
    return SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER;
}

static inline unsigned long long mildam_ssl_options(void) {
    return SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION;
}

static inline unsigned long mildam_name_flags(void) {
    return XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB;
}
