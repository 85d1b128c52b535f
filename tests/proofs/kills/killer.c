/* Preloaded: kills the process at its n-th call that changes a file below a directory, before the call or in the middle of it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static char root[PATH_MAX];
static size_t root_length;
static atomic_long count;
static long kill_at;
static int in_the_middle;

/* Called through ctypes: count from now on; with n > 0, kill at call n. */
void killer_arm(const char *below, long n, int middle) {
    strncpy(root, below, sizeof root - 1);
    kill_at = n;
    in_the_middle = middle;
    atomic_store(&count, 0);
    root_length = strlen(root);
}

long killer_count(void) { return atomic_load(&count); }

static int is_below(const char *path) { return !strncmp(path, root, root_length); }

static int is_path_below(int directory, const char *path) {
    char place[PATH_MAX], link[64];
    ssize_t length;
    if (!root_length || !path) return 0;
    if (path[0] == '/') return is_below(path);
    if (directory == AT_FDCWD) return getcwd(place, sizeof place) && is_below(place);
    snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
    length = readlink(link, place, sizeof place - 1);
    if (length < 0) return 0;
    place[length] = 0;
    return is_below(place);
}

static int is_file_below(int descriptor) {
    char place[PATH_MAX], link[64];
    struct stat facts;
    int kept = errno;
    ssize_t length;
    if (!root_length || fstat(descriptor, &facts) || !S_ISREG(facts.st_mode)) {
        errno = kept;
        return 0;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, place, sizeof place - 1);
    errno = kept;
    if (length < 0) return 0;
    place[length] = 0;
    return is_below(place);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* Whether this call is the one; unless it is to be killed in its middle, the process ends here. */
static int is_the_one(int has_middle) {
    if (atomic_fetch_add(&count, 1) + 1 != kill_at) return 0;
    if (!(in_the_middle && has_middle)) die();
    return 1;
}

/* What a killed write may have written: the kernel ends it between pages of the file, never within one. */
static size_t half(off64_t at, size_t size) {
    off64_t end = (at + (off64_t)size / 2) & ~(off64_t)4095;
    if (end <= at) die();
    return end - at;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

#define WITH_DESCRIPTOR(type, name, arguments, ...) \
    type name(__VA_ARGS__) { \
        REAL(type, #name, __VA_ARGS__); \
        if (is_file_below(fd)) is_the_one(0); \
        return real arguments; \
    }

#define WITH_PATH(type, name, directory, path, arguments, ...) \
    type name(__VA_ARGS__) { \
        REAL(type, #name, __VA_ARGS__); \
        if (is_path_below(directory, path)) is_the_one(0); \
        return real arguments; \
    }

#define WRITES(name, arguments_of_half, arguments, ...) \
    ssize_t name(__VA_ARGS__) { \
        REAL(ssize_t, #name, __VA_ARGS__); \
        if (is_file_below(fd) && is_the_one(1)) { \
            real arguments_of_half; \
            die(); \
        } \
        return real arguments; \
    }

#define HERE lseek64(fd, 0, SEEK_CUR)
WRITES(write, (fd, data, half(HERE, size)), (fd, data, size), int fd, const void *data, size_t size)
WRITES(pwrite, (fd, data, half(at, size), at), (fd, data, size, at), int fd, const void *data, size_t size, off_t at)
WRITES(pwrite64, (fd, data, half(at, size), at), (fd, data, size, at), int fd, const void *data, size_t size, off64_t at)
WRITES(writev, (fd, parts, n / 2), (fd, parts, n), int fd, const struct iovec *parts, int n)
WRITES(pwritev, (fd, parts, n / 2, at), (fd, parts, n, at), int fd, const struct iovec *parts, int n, off_t at)

ssize_t copy_file_range(int in, off64_t *from, int fd, off64_t *to, size_t size, unsigned flags) {
    REAL(ssize_t, "copy_file_range", int, off64_t *, int, off64_t *, size_t, unsigned);
    if (is_file_below(fd) && is_the_one(1)) {
        real(in, from, fd, to, half(to ? *to : HERE, size), flags);
        die();
    }
    return real(in, from, fd, to, size, flags);
}

WITH_DESCRIPTOR(int, ftruncate, (fd, size), int fd, off_t size)
WITH_DESCRIPTOR(int, ftruncate64, (fd, size), int fd, off64_t size)
WITH_DESCRIPTOR(int, fallocate, (fd, mode, at, size), int fd, int mode, off_t at, off_t size)
WITH_DESCRIPTOR(int, fallocate64, (fd, mode, at, size), int fd, int mode, off64_t at, off64_t size)
WITH_DESCRIPTOR(int, posix_fallocate, (fd, at, size), int fd, off_t at, off_t size)
WITH_DESCRIPTOR(int, posix_fallocate64, (fd, at, size), int fd, off64_t at, off64_t size)
WITH_DESCRIPTOR(int, fsync, (fd), int fd)
WITH_DESCRIPTOR(int, fdatasync, (fd), int fd)
WITH_DESCRIPTOR(int, fchmod, (fd, mode), int fd, mode_t mode)
WITH_DESCRIPTOR(int, futimens, (fd, times), int fd, const struct timespec times[2])

WITH_PATH(int, rename, AT_FDCWD, new, (old, new), const char *old, const char *new)
WITH_PATH(int, renameat, to, new, (from, old, to, new), int from, const char *old, int to, const char *new)
WITH_PATH(int, renameat2, to, new, (from, old, to, new, flags), int from, const char *old, int to, const char *new, unsigned flags)
WITH_PATH(int, link, AT_FDCWD, new, (old, new), const char *old, const char *new)
WITH_PATH(int, linkat, to, new, (from, old, to, new, flags), int from, const char *old, int to, const char *new, int flags)
WITH_PATH(int, symlink, AT_FDCWD, path, (old, path), const char *old, const char *path)
WITH_PATH(int, unlink, AT_FDCWD, path, (path), const char *path)
WITH_PATH(int, unlinkat, at, path, (at, path, flags), int at, const char *path, int flags)
WITH_PATH(int, rmdir, AT_FDCWD, path, (path), const char *path)
WITH_PATH(int, mkdir, AT_FDCWD, path, (path, mode), const char *path, mode_t mode)
WITH_PATH(int, mkdirat, at, path, (at, path, mode), int at, const char *path, mode_t mode)
WITH_PATH(int, truncate, AT_FDCWD, path, (path, size), const char *path, off_t size)
WITH_PATH(int, chmod, AT_FDCWD, path, (path, mode), const char *path, mode_t mode)
WITH_PATH(int, utimensat, at, path, (at, path, times, flags), int at, const char *path, const struct timespec times[2], int flags)

#define CHANGES(flags) ((flags) & (O_CREAT | O_TRUNC) || ((flags) & O_TMPFILE) == O_TMPFILE)
#define MODE \
    mode_t mode = 0; \
    if ((flags) & O_CREAT || ((flags) & O_TMPFILE) == O_TMPFILE) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, #name, const char *, int, ...); \
        MODE \
        if (CHANGES(flags) && is_path_below(AT_FDCWD, path)) is_the_one(0); \
        return real(path, flags, mode); \
    }
#define OPENS_AT(name) \
    int name(int at, const char *path, int flags, ...) { \
        REAL(int, #name, int, const char *, int, ...); \
        MODE \
        if (CHANGES(flags) && is_path_below(at, path)) is_the_one(0); \
        return real(at, path, flags, mode); \
    }

OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)
