#include <sqlite3.h>

// What Swift cannot call or name: a variadic function, and the destructor constant that is a cast.

/// `sqlite3_db_config` for the switches that take an on/off value.
static inline int mildam_sqlite3_switch(sqlite3 *_Nonnull connection, int option, int on) {
    return sqlite3_db_config(connection, option, on, (int *)0);
}

/// `sqlite3_bind_blob64`; SQLite keeps a copy of the bytes.
static inline int mildam_sqlite3_bind_blob(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// `sqlite3_bind_text64` in UTF-8; SQLite keeps a copy of the bytes.
static inline int mildam_sqlite3_bind_text(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nullable bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
