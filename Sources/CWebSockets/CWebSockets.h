#include <dlfcn.h>
#include <libwebsockets.h>

// Only a node with --web uses libwebsockets, so it is loaded at run time, and used through a table.
#define WEB_SOCKET_FUNCTIONS(FUNCTION) \
    FUNCTION(lws_set_log_level) \
    FUNCTION(lws_create_context) \
    FUNCTION(lws_create_vhost) \
    FUNCTION(lws_adopt_socket_vhost_readbuf) \
    FUNCTION(lws_context_destroy) \
    FUNCTION(lws_context_user) \
    FUNCTION(lws_get_context) \
    FUNCTION(lws_service) \
    FUNCTION(lws_cancel_service) \
    FUNCTION(lws_callback_on_writable) \
    FUNCTION(lws_write) \
    FUNCTION(lws_hdr_total_length) \
    FUNCTION(lws_hdr_fragment_length) \
    FUNCTION(lws_hdr_copy) \
    FUNCTION(lws_hdr_copy_fragment) \
    FUNCTION(lws_hdr_custom_length) \
    FUNCTION(lws_hdr_custom_copy) \
    FUNCTION(lws_add_http_header_status) \
    FUNCTION(lws_add_http_header_by_name) \
    FUNCTION(lws_finalize_http_header) \
    FUNCTION(lws_http_transaction_completed) \
    FUNCTION(lws_set_timeout) \
    FUNCTION(lws_partial_buffered) \
    FUNCTION(lws_get_socket_fd) \
    FUNCTION(lws_close_reason) \
    FUNCTION(lws_is_final_fragment) \
    FUNCTION(lws_frame_is_binary) \
    FUNCTION(lws_remaining_packet_payload)

struct WebSocketFunctions {
#define FIELD(name) __typeof__(name) *_Nonnull name;
    WEB_SOCKET_FUNCTIONS(FIELD)
#undef FIELD
};

// Fills the table, and returns whether all functions are there.
static inline int web_socket_functions_load(struct WebSocketFunctions *_Nonnull functions) {
    void *library = dlopen("libwebsockets.so.17", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
#define LOAD(name) \
    if (!(functions->name = (__typeof__(name) *)dlsym(library, #name))) return 0;
    WEB_SOCKET_FUNCTIONS(LOAD)
#undef LOAD
    return 1;
}

// The bytes that lws_write uses in front of what it is given.
static const int web_socket_headroom = LWS_PRE;
