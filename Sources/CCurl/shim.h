#include <curl/curl.h>

// curl_easy_setopt(3) and curl_easy_getinfo(3) are variadic, which Swift cannot call: each here takes one type.

static inline CURLcode mildam_curl_set_number(CURL *_Nonnull handle, CURLoption option, long value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode mildam_curl_set_size(CURL *_Nonnull handle, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode mildam_curl_set_text(CURL *_Nonnull handle, CURLoption option, const char *_Nonnull value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode mildam_curl_set_pointer(CURL *_Nonnull handle, CURLoption option, const void *_Nullable value) {
    return (curl_easy_setopt)(handle, option, value);
}

static inline CURLcode mildam_curl_set_list(
    CURL *_Nonnull handle, CURLoption option, struct curl_slist *_Nullable value) {
    return (curl_easy_setopt)(handle, option, value);
}

typedef size_t (*mildam_curl_taker)(
    char *_Nullable start, size_t size, size_t count, void *_Nullable context);

static inline CURLcode mildam_curl_set_taker(
    CURL *_Nonnull handle, CURLoption option, mildam_curl_taker _Nonnull value) {
    return (curl_easy_setopt)(handle, option, value);
}

typedef int (*mildam_curl_watcher)(
    void *_Nullable context, curl_off_t toCome, curl_off_t come, curl_off_t toGo, curl_off_t gone);

static inline CURLcode mildam_curl_set_watcher(CURL *_Nonnull handle, mildam_curl_watcher _Nonnull value) {
    return (curl_easy_setopt)(handle, CURLOPT_XFERINFOFUNCTION, value);
}

static inline CURLcode mildam_curl_get_number(CURL *_Nonnull handle, CURLINFO what, long *_Nonnull value) {
    return (curl_easy_getinfo)(handle, what, value);
}

enum {
    /// `CURL_GLOBAL_DEFAULT`, a macro of macros.
    mildam_curl_everything = CURL_GLOBAL_DEFAULT,
};
