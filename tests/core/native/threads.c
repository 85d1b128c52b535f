/* Threads that read and write the same array and folder at once by the engine, for the compiler's checks of threads.

   gcc -fsanitize=thread -pthread core/native/engine.c tests/core/native/threads.c -Icore/native -o threads && ./threads FOLDER */

#define _GNU_SOURCE
#include "engine.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 4, LENGTH = 48, CHUNK = 5, GRID = 10, UNITS = GRID * GRID, ROUNDS = 20 };

static uint16_t from[LENGTH][LENGTH], to[LENGTH][LENGTH];
static zs_crossing crossings[GRID];
static const uint16_t fill = 0xffff;
static zs_job writing, reading, parts;
static int32_t read_statuses[UNITS], part_statuses[UNITS];
static int failures;

static void fail(const char *what, long unit, int status) {
    fprintf(stderr, "%s: unit %ld has status %d\n", what, unit, status);
    __atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED);
}

/* All threads write all units, so that files replace one another, and read units of their own. */
static void *work(void *argument) {
    int own = (int)(intptr_t)argument;
    zs_thread *thread = zs_thread_new();
    uint32_t numbers[UNITS];
    int32_t statuses[UNITS];
    for (int i = 0; i < UNITS; i++) numbers[i] = (uint32_t)((i * 7 + own * 31) % UNITS);
    for (int round = 0; round < ROUNDS; round++) {
        zs_write(&writing, thread, numbers, UNITS, statuses);
        for (int i = 0; i < UNITS; i++)
            if (statuses[i] != ZS_OK) fail("writing", numbers[i], statuses[i]);
        int64_t first = own * UNITS / THREADS, stop = (own + 1) * UNITS / THREADS;
        zs_read(&reading, thread, first, stop, read_statuses);
        for (int64_t i = first; i < stop; i++)
            if (read_statuses[i] != ZS_OK) fail("reading", (long)i, read_statuses[i]);
        zs_read(&parts, thread, first, stop, part_statuses);
        for (int64_t i = first; i < stop; i++)
            if (part_statuses[i] != ZS_OK) fail("reading a part", (long)i, part_statuses[i]);
    }
    zs_thread_free(thread);
    return NULL;
}

static int make_shard(int folder, uint64_t *places, uint32_t *order, struct stat *facts) {
    static uint16_t chunk[CHUNK * CHUNK];
    int fd = openat(folder, "shard", O_RDWR | O_CREAT, 0600);
    for (uint32_t i = 0; i < UNITS; i++) {
        order[i] = i;
        places[2 * i] = i % 3 ? i * sizeof chunk : UINT64_MAX;
        places[2 * i + 1] = i % 3 ? sizeof chunk : UINT64_MAX;
        if (fd < 0 || write(fd, chunk, sizeof chunk) != sizeof chunk) return -1;
    }
    return fstat(fd, facts) || close(fd);
}

int main(int count, char **arguments) {
    static uint16_t inner[LENGTH][LENGTH];
    static uint64_t places[2 * UNITS];
    static uint32_t order[UNITS];
    struct stat facts;
    int root = count == 2 ? open(arguments[1], O_RDONLY | O_DIRECTORY) : -1;
    if (root < 0 || make_shard(root, places, order, &facts)) return 2;
    for (int i = 0; i < GRID; i++) {
        int64_t begin = i * CHUNK, length = begin + CHUNK > LENGTH ? LENGTH - begin : CHUNK;
        crossings[i] = (zs_crossing){.index = i, .count = length, .step = 1, .place = begin};
    }
    for (int i = 0; i < LENGTH * LENGTH; i++) from[0][i] = (uint16_t)(i % 999);
    zs_axis axes[2] = {
        {CHUNK, CHUNK * 2, LENGTH, LENGTH * 2, GRID, crossings},
        {CHUNK, 2, LENGTH, 2, GRID, crossings},
    };
    zs_codec checksum = {.kind = ZS_CRC32C, .decoded_nbytes = CHUNK * CHUNK * 2};
    writing = (zs_job){
        .ndim = 2, .itemsize = 2, .ncodecs = 1, .axes = axes, .codecs = &checksum, .nunits = UNITS, .root = root, .lead = "c",
        .separator = '.', .max_encoded_nbytes = 1000, .fill = (const char *)&fill, .stores_empty = 1,
        .array = (char *)from, .memory = (char *)from, .memory_end = (char *)(from + LENGTH),
    };
    reading = writing;
    reading.array = (char *)to, reading.memory = (char *)to, reading.memory_end = (char *)(to + LENGTH);
    parts = reading;
    parts.array = (char *)inner, parts.memory = (char *)inner, parts.memory_end = (char *)(inner + LENGTH);
    parts.ncodecs = 0, parts.lead = "shard", parts.parts = places, parts.order = order;
    parts.inode = (int64_t)facts.st_ino, parts.file_nbytes = facts.st_size;
    parts.mtime_ns = (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec;
    if (zs_check(&writing) || zs_check(&reading) || zs_check(&parts)) return 3;

    zs_thread *thread = zs_thread_new(); /* so that no thread reads a chunk before there is one */
    for (uint32_t i = 0; i < UNITS; i++) {
        int32_t status;
        zs_write(&writing, thread, &i, 1, &status);
        if (status != ZS_OK) fail("writing first", i, status);
    }
    zs_thread_free(thread);
    pthread_t threads[THREADS];
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i)) return 4;
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    if (memcmp(from, to, sizeof from)) fail("the array", -1, 0);
    for (int row = 0; row < LENGTH; row++)
        for (int column = 0; column < LENGTH; column++) {
            int unit = row / CHUNK * GRID + column / CHUNK;
            if (inner[row][column] != (unit % 3 ? 0 : fill)) fail("the parts", unit, 0);
        }
    return failures != 0;
}
