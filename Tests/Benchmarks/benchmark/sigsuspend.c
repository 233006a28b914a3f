// Valgrind 3.19 writes into the mask that a program passes to sigsuspend(2). It crashes if the mask is a constant, as
// in libdispatch. This function is loaded before libc's and passes a copy.
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
    sigset_t copy = *mask;
    return (int)syscall(SYS_rt_sigsuspend, &copy, (size_t)8);
}
