// Valgrind 3.19 writes into the mask that a program gives to sigsuspend(2), and crashes where that is a constant, as it is
// in libdispatch. This one, loaded before libc's, hands on a copy.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, (size_t)8);
}
