#include <ifaddrs.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The arguments of the process, the program's name first; 0 and NULL where the C library does not pass them on. */
int linux_argument_count(void);
char **linux_argument_words(void);

/* Starts a program, which is looked for in $PATH, in a session of its own; `words` ends with NULL. 0 or an error number. */
int linux_start_program(char *const words[], int *process);

/* glibc declares these for _GNU_SOURCE alone, which the Swift compiler does not define. */
int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
int pthread_setname_np(pthread_t thread, const char *name);

/* prctl takes a variable number of arguments, which Swift does not import. */
static inline int linux_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L); }

/* sched_setattr(2) of the calling thread, for which glibc has no function before 2.41 and whose structure its headers do not
 * bear beside their own. `slice` is in nanoseconds. */
static inline int linux_give_way(int niceness, unsigned long long slice) {
    struct {
        unsigned size, policy;
        unsigned long long flags;
        int nice;
        unsigned priority;
        unsigned long long runtime, deadline, period;
    } attributes = { .size = sizeof attributes, .nice = niceness, .runtime = slice };
    return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
}
