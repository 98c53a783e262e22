#include <dlfcn.h>
#include <qrencode.h>

// Only a page that verifies a peer uses libqrencode, so it is loaded at run time, and used through a table.
struct QRCodeFunctions {
    __typeof__(QRcode_encodeString) *_Nonnull encode;
    __typeof__(QRcode_free) *_Nonnull release;
};

// Fills the table, and returns whether both functions are there.
static inline int qr_code_functions_load(struct QRCodeFunctions *_Nonnull functions) {
    void *library = dlopen("libqrencode.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    if (!(functions->encode = (__typeof__(QRcode_encodeString) *)dlsym(library, "QRcode_encodeString"))) return 0;
    return (functions->release = (__typeof__(QRcode_free) *)dlsym(library, "QRcode_free")) != 0;
}
