#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>

extern char **environ;

/* The program gets none of this process's descriptors and signal masks, and no terminal: it goes on when this process has ended. */
int linux_start_program(char *const words[], int *process) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_init(&files);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&files);
        return error;
    }
    for (int number = 0; !error && number < 3; number += 1) {
        error = posix_spawn_file_actions_addopen(&files, number, "/dev/null", O_RDWR, 0);
    }
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(&files, 3);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (!error) {
        error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    }
    if (!error) error = posix_spawnp(process, words[0], &files, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}
