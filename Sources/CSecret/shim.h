#include <stddef.h>
#include <stdint.h>

// The part of libsecret 0.20 and GLib 2 that an import needs, as their headers declare it. The headers themselves need
// flags of pkg-config's, one of which (-pthread) the Swift package manager does not take.

typedef struct _GDBusConnection GDBusConnection;
typedef struct _GHashTable GHashTable;
typedef struct _SecretService SecretService;
typedef struct _SecretCollection SecretCollection;
typedef struct _SecretItem SecretItem;
typedef struct _SecretValue SecretContent;

typedef struct _GList GList;
struct _GList {
    void *data;
    GList *next;
    GList *prev;
};

typedef struct {
    void *private1;
    void *private2;
    void *private3;
    int private4;
    int private5;
    void *private6;
} GHashTableIter;

enum { sessionBus = 2 /* G_BUS_TYPE_SESSION */ };
// SECRET_SERVICE_OPEN_SESSION | SECRET_SERVICE_LOAD_COLLECTIONS
enum { secretServiceWithCollections = 1 << 1 | 1 << 2 };

void g_free(void *memory);
void g_object_unref(void *object);
void g_list_free_full(GList *list, void (*free)(void *));
void g_hash_table_unref(GHashTable *table);
void g_hash_table_iter_init(GHashTableIter *iterator, GHashTable *table);
int g_hash_table_iter_next(GHashTableIter *iterator, void **key, void **value);
GDBusConnection *g_bus_get_sync(int type, void *cancellable, void *error);
void g_dbus_connection_set_exit_on_close(GDBusConnection *connection, int exits);

SecretService *secret_service_get_sync(int flags, void *cancellable, void *error);
void secret_service_disconnect(void);
GList *secret_service_get_collections(SecretService *service);
int secret_collection_load_items_sync(SecretCollection *collection, void *cancellable, void *error);
GList *secret_collection_get_items(SecretCollection *collection);
char *secret_collection_get_label(SecretCollection *collection);
int secret_item_load_secret_sync(SecretItem *item, void *cancellable, void *error);
int secret_item_get_locked(SecretItem *item);
char *secret_item_get_label(SecretItem *item);
GHashTable *secret_item_get_attributes(SecretItem *item);
SecretContent *secret_item_get_secret(SecretItem *item);
const char *secret_value_get(SecretContent *value, size_t *length);
void secret_value_unref(void *value);
