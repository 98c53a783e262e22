#include <dlfcn.h>
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <string.h>
#include <sys/time.h>

// Only a node with --bridge uses librabbitmq, so it is loaded at run time, and used through a table.
#define RABBIT_FUNCTIONS(FUNCTION) \
    FUNCTION(amqp_new_connection) \
    FUNCTION(amqp_destroy_connection) \
    FUNCTION(amqp_tcp_socket_new) \
    FUNCTION(amqp_ssl_socket_new) \
    FUNCTION(amqp_ssl_socket_set_cacert) \
    FUNCTION(amqp_ssl_socket_set_verify_peer) \
    FUNCTION(amqp_ssl_socket_set_verify_hostname) \
    FUNCTION(amqp_ssl_socket_set_ssl_versions) \
    FUNCTION(amqp_ssl_socket_get_context) \
    FUNCTION(amqp_socket_open_noblock) \
    FUNCTION(amqp_set_handshake_timeout) \
    FUNCTION(amqp_set_rpc_timeout) \
    FUNCTION(amqp_channel_open) \
    FUNCTION(amqp_confirm_select) \
    FUNCTION(amqp_exchange_declare) \
    FUNCTION(amqp_queue_declare) \
    FUNCTION(amqp_queue_bind) \
    FUNCTION(amqp_basic_qos) \
    FUNCTION(amqp_basic_consume) \
    FUNCTION(amqp_basic_cancel) \
    FUNCTION(amqp_basic_publish) \
    FUNCTION(amqp_basic_ack) \
    FUNCTION(amqp_get_rpc_reply) \
    FUNCTION(amqp_simple_wait_frame_noblock) \
    FUNCTION(amqp_maybe_release_buffers) \
    FUNCTION(amqp_connection_close) \
    FUNCTION(amqp_get_sockfd) \
    FUNCTION(amqp_error_string2)

struct RabbitFunctions {
#define FIELD(name) __typeof__(name) *_Nonnull name;
    RABBIT_FUNCTIONS(FIELD)
#undef FIELD
    // amqp_login_with_properties, whose type is variadic.
    void (*_Nonnull login)(void);
};

// Fills the table, and returns whether all functions are there.
static inline int rabbit_functions_load(struct RabbitFunctions *_Nonnull functions) {
    void *library = dlopen("librabbitmq.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
#define LOAD(name) \
    if (!(functions->name = (__typeof__(name) *)dlsym(library, #name))) return 0;
    RABBIT_FUNCTIONS(LOAD)
#undef LOAD
    return (functions->login = (void (*)(void))dlsym(library, "amqp_login_with_properties")) != 0;
}

// The functions of OpenSSL, which librabbitmq has loaded, that say why a certificate was refused. The library itself asks
// for no verification during the handshake, and gives no reason.
struct RabbitTLSFunctions {
    void (*_Nonnull set_verify)(void *_Nonnull context, int mode, int (*_Nullable callback)(int, void *_Nonnull));
    int (*_Nonnull set_default_paths)(void *_Nonnull context);
    int (*_Nonnull error)(void *_Nonnull store);
    const char *_Nonnull (*_Nonnull error_text)(long error);
};

static inline int rabbit_tls_functions_load(struct RabbitTLSFunctions *_Nonnull functions) {
    void *ssl = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    void *crypto = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!ssl || !crypto) return 0;
#define LOAD(field, library, name) \
    if (!(functions->field = (__typeof__(functions->field))dlsym(library, name))) return 0;
    LOAD(set_verify, ssl, "SSL_CTX_set_verify")
    LOAD(set_default_paths, ssl, "SSL_CTX_set_default_verify_paths")
    LOAD(error, crypto, "X509_STORE_CTX_get_error")
    LOAD(error_text, crypto, "X509_verify_cert_error_string")
#undef LOAD
    return 1;
}

static const int rabbit_verify_peer = 1;

static inline struct timeval rabbit_time(int milliseconds) {
    struct timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
    return time;
}

static inline amqp_bytes_t rabbit_bytes(const void *_Nullable start, size_t count) {
    amqp_bytes_t bytes = {count, (void *)start};
    return bytes;
}

static inline amqp_table_entry_t rabbit_text_entry(const char *_Nonnull key, const char *_Nonnull value) {
    amqp_table_entry_t entry = {{strlen(key), (void *)key}, {AMQP_FIELD_KIND_UTF8, {0}}};
    entry.value.value.bytes.len = strlen(value);
    entry.value.value.bytes.bytes = (void *)value;
    return entry;
}

static inline amqp_table_entry_t rabbit_number_entry(const char *_Nonnull key, int64_t value) {
    amqp_table_entry_t entry = {{strlen(key), (void *)key}, {AMQP_FIELD_KIND_I64, {0}}};
    entry.value.value.i64 = value;
    return entry;
}

static inline amqp_table_entry_t rabbit_able_entry(const char *_Nonnull key) {
    amqp_table_entry_t entry = {{strlen(key), (void *)key}, {AMQP_FIELD_KIND_BOOLEAN, {1}}};
    return entry;
}

// The login is variadic in the library. The client says that it understands a refusal, and the message of a broker that takes
// nothing for a while; a broker sends these to no other client.
static inline amqp_rpc_reply_t rabbit_login(
    const struct RabbitFunctions *_Nonnull call, amqp_connection_state_t _Nonnull state, const char *_Nonnull vhost,
    const char *_Nonnull user, const char *_Nonnull password, int heartbeat
) {
    amqp_table_entry_t able[2] = {
        rabbit_able_entry("authentication_failure_close"), rabbit_able_entry("connection.blocked"),
    };
    amqp_table_entry_t capabilities = {{12, (void *)"capabilities"}, {AMQP_FIELD_KIND_TABLE, {0}}};
    capabilities.value.value.table.num_entries = 2;
    capabilities.value.value.table.entries = able;
    amqp_table_t properties = {1, &capabilities};
    __typeof__(amqp_login_with_properties) *login = (__typeof__(amqp_login_with_properties) *)call->login;
    return login(
        state, vhost, 2, 131072, heartbeat, &properties, AMQP_SASL_METHOD_PLAIN, user, password);
}

// Declares a durable queue: of type quorum, which expires unused, or of type stream, which holds the latest.
static inline amqp_queue_declare_ok_t *_Nullable rabbit_declare_queue(
    const struct RabbitFunctions *_Nonnull call, amqp_connection_state_t _Nonnull state, amqp_channel_t channel,
    amqp_bytes_t name, int is_stream, int64_t most, int64_t expires
) {
    amqp_table_entry_t entries[3] = {
        rabbit_text_entry("x-queue-type", is_stream ? "stream" : "quorum"),
        is_stream ? rabbit_number_entry("x-max-length-bytes", most) : rabbit_number_entry("x-max-length", most),
        is_stream ? rabbit_number_entry("x-stream-max-segment-size-bytes", most / 4)
                  : rabbit_number_entry("x-expires", expires),
    };
    amqp_table_t arguments = {3, entries};
    return call->amqp_queue_declare(state, channel, name, 0, 1, 0, 0, arguments);
}

// Consumes from a stream, from an offset on; from its last piece for an offset below 0.
static inline amqp_basic_consume_ok_t *_Nullable rabbit_consume_stream(
    const struct RabbitFunctions *_Nonnull call, amqp_connection_state_t _Nonnull state, amqp_channel_t channel,
    amqp_bytes_t queue, amqp_bytes_t tag, int64_t offset
) {
    amqp_table_entry_t entry = offset < 0 ? rabbit_text_entry("x-stream-offset", "last")
                                          : rabbit_number_entry("x-stream-offset", offset);
    amqp_table_t arguments = {1, &entry};
    return call->amqp_basic_consume(state, channel, queue, tag, 0, 0, 0, arguments);
}

// A delivery comes in three parts. This one is the first: its tag and its routing key.
static inline int rabbit_delivered(
    const amqp_frame_t *_Nonnull frame, uint64_t *_Nonnull tag, amqp_bytes_t *_Nonnull key
) {
    if (frame->frame_type != AMQP_FRAME_METHOD || frame->payload.method.id != AMQP_BASIC_DELIVER_METHOD) return 0;
    const amqp_basic_deliver_t *delivery = frame->payload.method.decoded;
    *tag = delivery->delivery_tag, *key = delivery->routing_key;
    return 1;
}

// The second part: the bytes that follow, and the place of the message in its stream, -1 if it came from none.
static inline int rabbit_headed(
    const amqp_frame_t *_Nonnull frame, uint64_t *_Nonnull size, int64_t *_Nonnull offset
) {
    if (frame->frame_type != AMQP_FRAME_HEADER || frame->payload.properties.class_id != AMQP_BASIC_CLASS) return 0;
    const amqp_basic_properties_t *properties = frame->payload.properties.decoded;
    *size = frame->payload.properties.body_size, *offset = -1;
    if (!(properties->_flags & AMQP_BASIC_HEADERS_FLAG)) return 1;
    for (int i = 0; i < properties->headers.num_entries; i++) {
        const amqp_table_entry_t *entry = &properties->headers.entries[i];
        if (entry->key.len == 15 && !memcmp(entry->key.bytes, "x-stream-offset", 15) &&
            entry->value.kind == AMQP_FIELD_KIND_I64)
            *offset = entry->value.value.i64;
    }
    return 1;
}

// The third part, in one frame or several: bytes of the body.
static inline int rabbit_body(const amqp_frame_t *_Nonnull frame, amqp_bytes_t *_Nonnull bytes) {
    if (frame->frame_type != AMQP_FRAME_BODY) return 0;
    *bytes = frame->payload.body_fragment;
    return 1;
}

static inline int rabbit_publish(
    const struct RabbitFunctions *_Nonnull call, amqp_connection_state_t _Nonnull state, amqp_channel_t channel,
    amqp_bytes_t exchange, amqp_bytes_t key, amqp_bytes_t body
) {
    amqp_basic_properties_t properties = {0};
    properties._flags = AMQP_BASIC_DELIVERY_MODE_FLAG;
    properties.delivery_mode = 2;
    return call->amqp_basic_publish(state, channel, exchange, key, 0, 0, &properties, body);
}

// The content of a method that the broker sends by itself.
static inline int rabbit_acknowledged(
    const amqp_frame_t *_Nonnull frame, uint64_t *_Nonnull tag, int *_Nonnull is_multiple, int *_Nonnull is_taken
) {
    if (frame->frame_type != AMQP_FRAME_METHOD) return 0;
    if (frame->payload.method.id == AMQP_BASIC_ACK_METHOD) {
        const amqp_basic_ack_t *ack = frame->payload.method.decoded;
        *tag = ack->delivery_tag, *is_multiple = ack->multiple, *is_taken = 1;
        return 1;
    }
    if (frame->payload.method.id == AMQP_BASIC_NACK_METHOD) {
        const amqp_basic_nack_t *nack = frame->payload.method.decoded;
        *tag = nack->delivery_tag, *is_multiple = nack->multiple, *is_taken = 0;
        return 1;
    }
    return 0;
}

// Whether a frame says that the broker takes no publication until it says otherwise, for what reason, or that it takes them again.
static inline int rabbit_blocked(
    const amqp_frame_t *_Nonnull frame, int *_Nonnull is_blocked, amqp_bytes_t *_Nonnull reason
) {
    if (frame->frame_type != AMQP_FRAME_METHOD || frame->channel != 0) return 0;
    *is_blocked = frame->payload.method.id == AMQP_CONNECTION_BLOCKED_METHOD;
    if (*is_blocked) *reason = ((const amqp_connection_blocked_t *)frame->payload.method.decoded)->reason;
    return *is_blocked || frame->payload.method.id == AMQP_CONNECTION_UNBLOCKED_METHOD;
}

// Whether a frame ends the connection, the channel or the consumer; then `code` and `text` say why.
static inline int rabbit_ended(
    const amqp_frame_t *_Nonnull frame, uint16_t *_Nonnull code, amqp_bytes_t *_Nonnull text
) {
    if (frame->frame_type != AMQP_FRAME_METHOD) return 0;
    if (frame->payload.method.id == AMQP_CONNECTION_CLOSE_METHOD) {
        const amqp_connection_close_t *close = frame->payload.method.decoded;
        *code = close->reply_code, *text = close->reply_text;
        return 1;
    }
    if (frame->payload.method.id == AMQP_CHANNEL_CLOSE_METHOD) {
        const amqp_channel_close_t *close = frame->payload.method.decoded;
        *code = close->reply_code, *text = close->reply_text;
        return 1;
    }
    return frame->payload.method.id == AMQP_BASIC_CANCEL_METHOD;
}

// The reason in a refusal of the broker; 0 if the reply is none.
static inline int rabbit_refused(
    amqp_rpc_reply_t reply, uint16_t *_Nonnull code, amqp_bytes_t *_Nonnull text
) {
    if (reply.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION) return 0;
    amqp_frame_t frame;
    memset(&frame, 0, sizeof frame);
    frame.frame_type = AMQP_FRAME_METHOD;
    frame.payload.method = reply.reply;
    return rabbit_ended(&frame, code, text);
}
