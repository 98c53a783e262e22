#include <stddef.h>
#include <stdint.h>

// libFuzzer's own entry: it looks for inputs until the arguments tell it to end.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
