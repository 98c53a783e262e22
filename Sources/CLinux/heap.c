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
 * of the texts and keys in it. The word in front of memory has its size, with this word, and three marks (glibc, malloc/malloc.c,
 * "chunk"). Memory that goes back to the system at once, which one of the marks tells, is left alone. */
void free(void *memory) {
    if (!memory) return;
    const size_t word = ((size_t *)memory)[-1];
    const size_t marks = 7, is_mapped = 2;
    if (!(word & is_mapped)) {
        memset(memory, 0, (word & ~marks) - sizeof word);
        /* The compiler must not leave out what nothing reads. */
        __asm__ volatile("" : : "r"(memory) : "memory");
    }
    __libc_free(memory);
}
#endif
