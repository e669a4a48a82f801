#define _GNU_SOURCE
#include "seal_peer.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 65536, TAG = 16, CHUNKS_AT_ONCE = 16 };

struct work {
    int source, target, opening, threads, number, failed;
    off_t size;
};

static void *serve(void *argument) {
    struct work *work = argument;
    const size_t from = work->opening ? CHUNK + TAG : CHUNK, to = work->opening ? CHUNK : CHUNK + TAG;
    const off_t chunks = (work->size + from - 1) / from;
    unsigned char *input = malloc(from * CHUNKS_AT_ONCE), *output = malloc(to * CHUNKS_AT_ONCE + TAG);
    unsigned char key[32] = {1}, nonce[12] = {0};
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "ChaCha20-Poly1305", NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    work->failed = !input || !output || !cipher || !context
        || !EVP_CipherInit_ex2(context, cipher, key, nonce, !work->opening, NULL);
    for (off_t first = (off_t)work->number * CHUNKS_AT_ONCE; first < chunks && !work->failed;
         first += (off_t)work->threads * CHUNKS_AT_ONCE) {
        ssize_t got = pread(work->source, input, from * CHUNKS_AT_ONCE, first * (off_t)from);
        if (got <= 0) { work->failed = 1; break; }
        size_t written = 0;
        for (size_t start = 0; start < (size_t)got; start += from) {
            size_t count = (size_t)got - start < from ? (size_t)got - start : from;
            size_t text = work->opening ? count - TAG : count;
            int length = 0, rest = 0;
            off_t chunk = first + (off_t)(start / from);
            memcpy(nonce + 3, &chunk, 8);
            int done = EVP_CipherInit_ex2(context, NULL, NULL, nonce, !work->opening, NULL)
                && (!work->opening
                    || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, input + start + text))
                && EVP_CipherUpdate(context, output + written, &length, input + start, (int)text)
                && EVP_CipherFinal_ex(context, output + written + length, &rest)
                && (work->opening
                    || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, output + written + text));
            if (!done) { work->failed = 1; break; }
            written += work->opening ? text : text + TAG;
        }
        if (!work->failed && pwrite(work->target, output, written, first * (off_t)to) != (ssize_t)written)
            work->failed = 1;
    }
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
    free(input);
    free(output);
    return NULL;
}

int seal_peer_file(const char *source, const char *target, int opening, int threads) {
    struct stat status;
    int from = open(source, O_RDONLY), to = open(target, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (from < 0 || to < 0 || fstat(from, &status) || threads < 1 || threads > 64) return -1;
    struct work work[64];
    pthread_t thread[64];
    int failed = 0;
    for (int number = 0; number < threads; number++) {
        work[number] = (struct work){from, to, opening, threads, number, 0, status.st_size};
        if (pthread_create(&thread[number], NULL, serve, &work[number])) return -1;
    }
    for (int number = 0; number < threads; number++) {
        pthread_join(thread[number], NULL);
        failed |= work[number].failed;
    }
    failed |= fdatasync(to) != 0;
    close(from);
    close(to);
    return failed ? -1 : 0;
}

int seal_peer_small_files(const char *folder, int count, size_t size, int batch) {
    char path[4096];
    unsigned char *bytes = calloc(1, size + 1);
    int disk = open(folder, O_RDONLY | O_DIRECTORY);
    if (!bytes || disk < 0 || batch < 1) return -1;
    for (int number = 0; number < count; number++) {
        snprintf(path, sizeof path, "%s/%d", folder, number);
        memcpy(bytes, &number, sizeof number);
        int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
        if (file < 0 || write(file, bytes, size) != (ssize_t)size || close(file)) return -1;
        if ((number + 1) % batch == 0 && syncfs(disk)) return -1;
    }
    int failed = syncfs(disk);
    close(disk);
    free(bytes);
    return failed;
}
