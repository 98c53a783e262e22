#include "CLinux.h"

static int count;
static char **words;

/* The GNU C library calls constructors with the arguments of `main`, so they are known where /proc is not mounted: Swift's own
 * `CommandLine` reads /proc/self/cmdline. */
__attribute__((constructor)) static void keep_arguments(int argument_count, char **argument_words) {
    count = argument_count;
    words = argument_words;
}

int linux_argument_count(void) { return count; }

char **linux_argument_words(void) { return words; }
