/* A clock that a test can set: preloaded into the server, it adds to the real time what the file CLOCK_OFFSET says,
 * in seconds. The file is read for each look at the clock, so that the clock can be set while the server runs. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long long offset(void) {
    const char *path = getenv("CLOCK_OFFSET");
    FILE *file = path ? fopen(path, "re") : NULL;
    long long seconds = 0;
    if (file) {
        if (fscanf(file, "%lld", &seconds) != 1) seconds = 0;
        fclose(file);
    }
    return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int outcome = (int)syscall(SYS_clock_gettime, clock, time);
    if (outcome == 0 && clock == CLOCK_REALTIME) time->tv_sec += offset();
    return outcome;
}

int gettimeofday(struct timeval *time, void *zone) {
    int outcome = (int)syscall(SYS_gettimeofday, time, zone);
    if (outcome == 0) time->tv_sec += offset();
    return outcome;
}
