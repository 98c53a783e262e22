#include <malloc.h>
#include <stddef.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER
#endif
#endif

#ifndef HAS_SANITIZER
extern void __libc_free(void *memory);

/* Replaces the function of the C library in the whole program (malloc(3), "replacing malloc"): memory that is freed keeps nothing
 * of the texts and keys in it. Memory that goes back to the system at once, which its mark in front of it tells, is left alone. */
void free(void *memory) {
    if (!memory) return;
    const size_t is_mapped = 2;
    if (!(((size_t *)memory)[-1] & is_mapped)) {
        explicit_bzero(memory, malloc_usable_size(memory));
    }
    __libc_free(memory);
}
#endif
