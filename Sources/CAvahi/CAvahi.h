#include <avahi-client/client.h>
#include <avahi-client/lookup.h>
#include <avahi-client/publish.h>
#include <avahi-common/address.h>
#include <avahi-common/alternative.h>
#include <avahi-common/defs.h>
#include <avahi-common/error.h>
#include <avahi-common/malloc.h>
#include <avahi-common/strlst.h>
#include <avahi-common/watch.h>
#include <dlfcn.h>

// libavahi-client and libavahi-core both export, and both call, a function named avahi_entry_group_free. Linked into one
// program the first would serve both and crash the other: each is loaded on its own instead, and used through a table.
#define AVAHI_CLIENT_FUNCTIONS(FUNCTION) \
    FUNCTION(avahi_client_new) \
    FUNCTION(avahi_client_free) \
    FUNCTION(avahi_client_errno) \
    FUNCTION(avahi_entry_group_new) \
    FUNCTION(avahi_entry_group_free) \
    FUNCTION(avahi_entry_group_add_record) \
    FUNCTION(avahi_entry_group_commit) \
    FUNCTION(avahi_entry_group_is_empty) \
    FUNCTION(avahi_service_browser_new) \
    FUNCTION(avahi_service_browser_free) \
    FUNCTION(avahi_service_resolver_new) \
    FUNCTION(avahi_service_resolver_free)

struct AvahiClientFunctions {
#define FIELD(name) __typeof__(name) *_Nonnull name;
    AVAHI_CLIENT_FUNCTIONS(FIELD)
#undef FIELD
};

// Fills the table, and returns whether all functions are there.
static inline int avahi_client_functions_load(struct AvahiClientFunctions *functions) {
    void *library = dlopen("libavahi-client.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
#define LOAD(name) \
    if (!(functions->name = (__typeof__(name) *)dlsym(library, #name))) return 0;
    AVAHI_CLIENT_FUNCTIONS(LOAD)
#undef LOAD
    return 1;
}
