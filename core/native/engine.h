/* The engine: chunks of local files or in memory, read to their places in an array, or written from them, without Python.

   Python plans: it parses the metadata, chooses the chunks, locates inner chunks, and words every error. The engine executes a
   table of jobs and returns a status for each unit; whatever is not ZS_OK, Python does again in its own way, so each rule and
   each message has one home. Nothing here keeps state between calls, starts threads or maps files.

   zarrcore/native/structures.py mirrors these structures; ZS_ABI changes with them. */

#ifndef ZARRSCOPE_ENGINE_H
#define ZARRSCOPE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#define ZS_ABI 8
#define ZS_MAX_NDIM 32
#define ZS_MAX_CODECS 8

/* What became of a unit. */
enum {
    ZS_OK = 0,
    ZS_MISSING = 1,   /* there is no such file */
    ZS_BAD = 2,       /* the bytes are not exactly what the simplest case of the codecs allows */
    ZS_TOO_LARGE = 3, /* more bytes are stored than make sense */
    ZS_CHANGED = 4,   /* the file is another one than the job describes */
    ZS_FAILED = 5,    /* the operating system refused something */
    ZS_EMPTY = 6,     /* writing: only fill values, so nothing was stored */
    ZS_NO_FOLDER = 7, /* writing: there is no folder for the file */
    ZS_FILLED = 8,    /* there is no such file, nor a link on its path, and its elements are FILL */
};

enum {
    ZS_ZSTD = 1, ZS_BLOSC = 2, ZS_GZIP = 3, ZS_ZLIB = 4, ZS_CRC32C = 5, ZS_LZ4 = 6, ZS_SHUFFLE = 7, ZS_FLETCHER32 = 8,
    ZS_LZ4_BLOCKS = 9, ZS_BITSHUFFLE = 10, /* filters of HDF5, which are only read */
    ZS_DIFFERENCES = 11,                   /* the predictor of TIFF, which is only read */
};

/* One codec of bytes. */
typedef struct {
    int32_t kind;
    int32_t width;          /* ZS_SHUFFLE, ZS_BITSHUFFLE, ZS_DIFFERENCES: bytes of an element */
    int64_t decoded_nbytes; /* -1: depends on the values, which only checksums can handle */
    int64_t block_nbytes;   /* ZS_BITSHUFFLE without compression; ZS_DIFFERENCES: of a row; writing: ZS_BLOSC */
    int32_t compression;    /* ZS_BITSHUFFLE: ZS_LZ4, ZS_ZSTD, or 0 */
    int32_t samples;        /* ZS_DIFFERENCES: elements of a pixel */

    /* Writing. */
    int32_t level;                      /* ZS_ZSTD, ZS_GZIP, ZS_ZLIB, ZS_BLOSC; ZS_LZ4: acceleration */
    int32_t has_checksum;               /* ZS_ZSTD */
    int32_t shuffle, type_nbytes;       /* ZS_BLOSC */
    const char *compressor;
} zs_codec;

/* A chunk that a selection crosses in one dimension. */
typedef struct {
    int64_t index;              /* of the chunk in the grid */
    int64_t first, count, step; /* the elements of the chunk */
    int64_t place;              /* of the first of them in the array */
} zs_crossing;

/* One dimension. */
typedef struct {
    int64_t chunk_length, chunk_stride; /* elements; bytes between two of them in a decoded chunk */
    int64_t array_length, array_stride; /* the same in the array */
    int64_t ncrossings;
    const zs_crossing *crossings;
} zs_axis;

/* A read or a write. Its units are the product of the axes' crossings, in C order; or, if they are listed, each has its own crossing
   in each axis. */
typedef struct {
    int32_t ndim, itemsize, ncodecs;
    int32_t swap_nbytes; /* the size of the numbers whose bytes are reversed; 0 if none are */
    const zs_axis *axes;
    const zs_codec *codecs; /* in the order of encoding */
    char *array;            /* its element 0 in every dimension */
    const char *memory, *memory_end; /* the memory that the array lies in */
    int64_t nunits;
    int32_t is_listed;
    char *const *arrays; /* of each unit, in memory of its own, as ARRAY is the first one's; NULL if ARRAY is that of all */

    /* Each unit is the file LEAD index SEPARATOR index ..., beneath a directory. */
    int32_t root;
    int32_t follows_links; /* links may lead out of the directory */
    const char *lead;
    char separator;
    char is_reversed;   /* the last dimension comes first */
    char decodes_whole; /* decode units as a whole, even if less is wanted */
    int64_t max_encoded_nbytes;

    /* Reading inner chunks: each unit is a part of the file LEAD, or of BYTES if these are given; NULL if units are files. */
    const uint64_t *parts;    /* offset and size */
    const uint32_t *order;    /* in which to read the units; NULL if as they are numbered */
    int64_t inode, mtime_ns, file_nbytes; /* of BYTES, only their number */
    const char *bytes;

    /* Reading single elements of listed units: the offset of each in its decoded chunk, within the unit's crossings. Those of unit n
       are FIRST_POINTS[n] to FIRST_POINTS[n + 1], and all follow one another in the array, whose strides are not used. NULL if all
       that is crossed is read. */
    const int64_t *points, *first_points;
    int64_t npoints;

    /* One element. Writing: as it is stored; elements outside the array have this value. Reading: as it is in the array; missing
       units read as this value; NULL if Python fills them. */
    const char *fill;
    int32_t stores_empty; /* chunks that hold only this value are stored, too */
} zs_job;

/* Files to copy: as they are, from one directory to another. */
typedef struct {
    int64_t count;
    int32_t root, follows_links;         /* of the files */
    int32_t new_root, new_follows_links; /* of their copies */
    const char *names, *new_names;       /* COUNT names, each with a zero after it */
    int64_t names_nbytes, new_names_nbytes;
    int64_t max_nbytes; /* larger files are ZS_TOO_LARGE */
    int32_t verifies;   /* read the copies, and compare */
} zs_copy_job;

/* What one thread needs again and again. */
typedef struct zs_thread zs_thread;

int zs_abi(void);
int zs_bind(const char *name, void *function);
zs_thread *zs_thread_new(void);
void zs_thread_free(zs_thread *thread);

/* 0 if the job can be executed: every place that it names is inside the memory that it names. */
int zs_check(const zs_job *job);

/* Read units FIRST to STOP of a checked job; STATUS gets theirs. Any number of threads may do so at once, each with its own
   zs_thread and its own units. */
void zs_read(const zs_job *job, zs_thread *thread, int64_t first, int64_t stop, int32_t *status);

/* Write the COUNT units of a checked job whose numbers are in NUMBERS; STATUS gets one for each of them. Each crossing begins at
   the first element of its chunk and has step 1. A file gets its name when it is whole. Threads as for reading. */
void zs_write(const zs_job *job, zs_thread *thread, const uint32_t *numbers, int64_t count, int32_t *status);

/* Copy the files of a job; STATUS gets one for each of them. */
void zs_copy(const zs_copy_job *job, zs_thread *thread, int32_t *status);

#endif
