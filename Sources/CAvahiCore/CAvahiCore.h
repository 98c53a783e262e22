#include <avahi-common/error.h>
#include <avahi-common/watch.h>
#include <avahi-core/core.h>
#include <avahi-core/log.h>
#include <avahi-core/lookup.h>
#include <avahi-core/publish.h>
#include <avahi-core/rr.h>
#include <dlfcn.h>

// Loaded on its own, for the reason that CAvahi.h gives.
#define AVAHI_CORE_FUNCTIONS(FUNCTION) \
    FUNCTION(avahi_set_log_function) \
    FUNCTION(avahi_server_config_init) \
    FUNCTION(avahi_server_config_free) \
    FUNCTION(avahi_server_new) \
    FUNCTION(avahi_server_free) \
    FUNCTION(avahi_server_errno) \
    FUNCTION(avahi_server_add) \
    FUNCTION(avahi_s_entry_group_new) \
    FUNCTION(avahi_s_entry_group_free) \
    FUNCTION(avahi_s_entry_group_commit) \
    FUNCTION(avahi_record_new_full) \
    FUNCTION(avahi_record_unref) \
    FUNCTION(avahi_rdata_parse) \
    FUNCTION(avahi_s_service_browser_new) \
    FUNCTION(avahi_s_service_browser_free) \
    FUNCTION(avahi_s_service_resolver_new) \
    FUNCTION(avahi_s_service_resolver_free)

struct AvahiCoreFunctions {
#define FIELD(name) __typeof__(name) *_Nonnull name;
    AVAHI_CORE_FUNCTIONS(FIELD)
#undef FIELD
};

// Fills the table, and returns whether all functions are there.
static inline int avahi_core_functions_load(struct AvahiCoreFunctions *functions) {
    void *library = dlopen("libavahi-core.so.7", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
#define LOAD(name) \
    if (!(functions->name = (__typeof__(name) *)dlsym(library, #name))) return 0;
    AVAHI_CORE_FUNCTIONS(LOAD)
#undef LOAD
    return 1;
}
