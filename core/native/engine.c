/* See engine.h. */

#define _GNU_SOURCE
#include "engine.h"
#include "codecs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define RESOLVE_NO_MAGICLINKS_ 0x02
#define RESOLVE_NO_SYMLINKS_ 0x04
#define RESOLVE_BENEATH_ 0x08

enum { NAME_NBYTES = 4096, KEPT_NBYTES = 16 << 20, PAGE_NBYTES = 4096, BLOSC_HEADER = 16 };

/* Up to these parts of a chunk, decoding only what is needed is faster; as in the Python codecs. */
#define ZSTD_PART 0.85
#define BLOSC_PART 0.75
enum { NOT_WORTH_IT = -1 };
enum { ZSTD_LEAST = 16 << 10, ZSTD_PIECE = 64 << 10 };

/* An encoder for more bytes at once takes up to hundreds of MiB, and is soon made anew; as in the Python codec. */
enum { ZSTD_KEPT_NBYTES = 512 << 10 };

int zs_abi(void) { return ZS_ABI; }

/* Give the engine one function of the codecs. Returns 0 if it needs none of this name. */
int zs_bind(const char *name, void *function) {
#define BIND(result, known, arguments)            \
    if (!strcmp(name, #known)) {                  \
        memcpy(&known, &function, sizeof known);  \
        return 1;                                 \
    }
    FUNCTIONS(BIND)
#undef BIND
    return 0;
}

/* --- Memory that a thread uses again: new pages cost more than decoding into them. */

enum { ENCODED, DECODED, BETWEEN, BEYOND, BLOCK, BUFFERS };

struct zs_thread {
    void *zstd, *deflate;             /* decoders */
    void *zstd_encoder, *deflate_encoder;
    int deflate_level, is_zstd_encoder_large;
    char *memory[BUFFERS], *begin[BUFFERS];
    size_t nbytes[BUFFERS];
};

zs_thread *zs_thread_new(void) { return calloc(1, sizeof(zs_thread)); }

static void forget(zs_thread *t, int use) {
    free(t->memory[use]);
    t->memory[use] = NULL;
    t->nbytes[use] = 0;
}

void zs_thread_free(zs_thread *t) {
    if (!t) return;
    if (t->zstd) ZSTD_freeDCtx(t->zstd);
    if (t->deflate) libdeflate_free_decompressor(t->deflate);
    if (t->zstd_encoder) ZSTD_freeCCtx(t->zstd_encoder);
    if (t->deflate_encoder) libdeflate_free_compressor(t->deflate_encoder);
    for (int use = 0; use < BUFFERS; use++) forget(t, use);
    free(t);
}

/* A buffer of this thread, with any content; NULL if there is no memory. It begins at a quarter of a page: some processors copy
   three times as slowly between addresses that are nearly equal within a page, and files begin at 0. */
static char *buffer(zs_thread *t, int use, size_t nbytes) {
    if (t->nbytes[use] < nbytes || !t->memory[use]) {
        forget(t, use);
        if (nbytes > SIZE_MAX / 2 || !(t->memory[use] = malloc(nbytes + 2 * PAGE_NBYTES))) return NULL;
        uintptr_t page = ((uintptr_t)t->memory[use] + PAGE_NBYTES - 1) & ~(uintptr_t)(PAGE_NBYTES - 1);
        t->begin[use] = t->memory[use] + (page - (uintptr_t)t->memory[use]) + PAGE_NBYTES / 4;
        t->nbytes[use] = nbytes;
    }
    return t->begin[use];
}

static void forget_large(zs_thread *t) {
    for (int use = 0; use < BUFFERS; use++)
        if (t->nbytes[use] > KEPT_NBYTES) forget(t, use);
    if (t->is_zstd_encoder_large) {
        ZSTD_freeCCtx(t->zstd_encoder);
        t->zstd_encoder = NULL, t->is_zstd_encoder_large = 0;
    }
}

/* --- Files */

enum {
    FILE_ = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, /* without O_NONBLOCK, a named pipe would block for ever */
    FOLDER = O_RDONLY | O_CLOEXEC | O_DIRECTORY,
};

static int open_beneath(int root, int follows_links, const char *name, int flags) {
    struct { uint64_t flags, mode, resolve; } how = {
        (uint64_t)flags, 0, follows_links ? 0 : RESOLVE_BENEATH_ | RESOLVE_NO_MAGICLINKS_,
    };
    for (;;) {
        long fd = syscall(SYS_openat2, root, name, &how, sizeof how);
        /* EAGAIN: a rename beside the path made the walk ambiguous */
        if (fd >= 0 || (errno != EINTR && errno != EAGAIN)) return (int)fd;
    }
}

/* Exactly NBYTES bytes of a file. */
static int read_file(int fd, char *to, size_t nbytes, uint64_t at) {
    while (nbytes) {
        ssize_t got = pread(fd, to, nbytes, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return ZS_FAILED;
        if (!got) return ZS_BAD;
        to += got, at += (uint64_t)got, nbytes -= (size_t)got;
    }
    return ZS_OK;
}

/* Encoded bytes: in memory, or still in a file. */
typedef struct {
    const char *memory;
    int fd;
    uint64_t offset;
    size_t nbytes;
} source;

static int take(const source *s, char *to, size_t nbytes, size_t at) {
    if (at > s->nbytes || nbytes > s->nbytes - at) return ZS_BAD;
    if (!s->memory) return read_file(s->fd, to, nbytes, s->offset + at);
    memcpy(to, s->memory + at, nbytes);
    return ZS_OK;
}

static uint32_t u32(const char *p) {
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static uint32_t big32(const char *p) { return __builtin_bswap32(u32(p)); }

static uint64_t big64(const char *p) { return (uint64_t)big32(p) << 32 | big32(p + 4); }

/* --- CRC32C (RFC 3720) */

#if defined(__x86_64__)
#include <nmmintrin.h>
#if defined(__clang__)
#define WITH_CRC32C __attribute__((target("sse4.2,crc32")))
#else
#define WITH_CRC32C __attribute__((target("sse4.2")))
#endif
#define CRC32C_OF_8(crc, word) (uint32_t)_mm_crc32_u64(crc, word)
#define CRC32C_OF_1 _mm_crc32_u8
#define HAS_CRC32C __builtin_cpu_supports("sse4.2")
#elif defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#define WITH_CRC32C __attribute__((target("+crc")))
#define CRC32C_OF_8 __crc32cd
#define CRC32C_OF_1 __crc32cb
#define HAS_CRC32C (getauxval(AT_HWCAP) & 1 << 7)
#endif

#ifdef WITH_CRC32C
WITH_CRC32C static uint32_t crc32c_by_processor(const char *p, size_t n) {
    uint32_t crc = 0xffffffffu;
    uint64_t word;
    for (; n >= 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        crc = CRC32C_OF_8(crc, word);
    }
    for (; n; n--, p++) crc = CRC32C_OF_1(crc, (unsigned char)*p);
    return ~crc;
}
#endif

static uint32_t crc32c(const char *p, size_t n) {
#ifdef WITH_CRC32C
    if (HAS_CRC32C) return crc32c_by_processor(p, n);
#endif
    uint32_t table[16], crc = 0xffffffffu; /* by half bytes: the table is made for each call, so it must be small */
    for (uint32_t i = 0; i < 16; i++) {
        table[i] = i;
        for (int bit = 0; bit < 4; bit++) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0x82f63b78u : 0);
    }
    for (; n; n--, p++) {
        crc ^= (unsigned char)*p;
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

/* The sums of 16-bit numbers, and of these sums, modulo 65535; up to 360 numbers do not overflow. HDF5 documents it. */
static uint32_t fletcher32(const char *p, size_t n) {
    const unsigned char *bytes = (const unsigned char *)p;
    uint32_t low = 0, high = 0;
    for (size_t left = n / 2; left;) {
        size_t part = left < 360 ? left : 360;
        left -= part;
        for (; part; part--, bytes += 2) low += (uint32_t)bytes[0] << 8 | bytes[1], high += low;
        low = (low & 0xffff) + (low >> 16), high = (high & 0xffff) + (high >> 16);
    }
    if (n % 2) {
        low += (uint32_t)bytes[0] << 8, high += low;
        low = (low & 0xffff) + (low >> 16), high = (high & 0xffff) + (high >> 16);
    }
    low = (low & 0xffff) + (low >> 16), high = (high & 0xffff) + (high >> 16);
    return high << 16 | low;
}

static int is_checksum(const zs_codec *codec) { return codec->kind == ZS_CRC32C || codec->kind == ZS_FLETCHER32; }

static uint32_t checksum(const zs_codec *codec, const char *p, size_t n) {
    return codec->kind == ZS_CRC32C ? crc32c(p, n) : fletcher32(p, n);
}

/* --- Codecs. Each accepts only one stream of exactly the expected size that ends where the bytes end. */

static void *zstd_state(zs_thread *t) {
    if (!t->zstd) t->zstd = ZSTD_createDCtx();
    return t->zstd;
}

static int zstd_whole(zs_thread *t, const char *from, size_t n, char *to, size_t want) {
    if (ZSTD_getFrameContentSize(from, n) != want || ZSTD_findFrameCompressedSize(from, n) != n) return ZS_BAD;
    if (!zstd_state(t)) return ZS_FAILED;
    ZSTD_DCtx_reset(t->zstd, ZSTD_RESET_SESSION);
    return ZSTD_decompressDCtx(t->zstd, to, want, from, n) == want ? ZS_OK : ZS_BAD;
}

static int zstd_can_begin(size_t want, size_t hi) {
    return ZSTD_versionNumber() >= 10405 && ZSTD_versionNumber() < 10600 && hi >= ZSTD_LEAST &&
           (double)hi <= ZSTD_PART * (double)want;
}

/* The first HI bytes; the rest of the frame is not looked at. */
static int zstd_beginning(zs_thread *t, const char *from, size_t n, char *to, size_t want, size_t hi) {
    if (ZSTD_getFrameContentSize(from, n) != want) return ZS_BAD;
    if (!zstd_state(t)) return ZS_FAILED;
    ZSTD_DCtx_reset(t->zstd, ZSTD_RESET_SESSION);
    if (ZSTD_isError(ZSTD_DCtx_setParameter(t->zstd, ZSTD_STABLE_OUT_BUFFER, 1))) return ZS_BAD;
    zstd_in in = {from, 0, 0};
    zstd_out out = {to, want, 0};
    int status = ZS_OK;
    while (out.pos < hi && status == ZS_OK) { /* the decoder goes as far as its input, so it gets a piece at a time */
        if (in.pos == n) status = ZS_BAD;
        in.size = n - in.pos > ZSTD_PIECE ? in.pos + ZSTD_PIECE : n;
        size_t more = ZSTD_decompressStream(t->zstd, &out, &in);
        if (ZSTD_isError(more) || (!more && out.pos < hi)) status = ZS_BAD;
    }
    ZSTD_DCtx_reset(t->zstd, ZSTD_RESET_SESSION);
    ZSTD_DCtx_setParameter(t->zstd, ZSTD_STABLE_OUT_BUFFER, 0);
    return status;
}

/* The fields of a Blosc header. c-blosc trusts them, so all are checked first. */
typedef struct {
    uint32_t nbytes, block_nbytes, encoded_nbytes, nblocks;
    int is_stored;
} blosc_header;

static int blosc_parse(const char *h, size_t n, size_t want, blosc_header *b) {
    unsigned char version = (unsigned char)h[0], flags = (unsigned char)h[2], type = (unsigned char)h[3];
    b->nbytes = u32(h + 4), b->block_nbytes = u32(h + 8), b->encoded_nbytes = u32(h + 12);
    b->is_stored = flags & 2;
    if (b->nbytes != want || b->encoded_nbytes > n || n - b->encoded_nbytes > BLOSC_HEADER) return ZS_BAD;
    if (version < 1 || version > 2 || !type || !b->nbytes || !b->block_nbytes) return ZS_BAD;
    if (b->block_nbytes > (b->nbytes > type ? b->nbytes : type)) return ZS_BAD;
    if (b->is_stored) return b->encoded_nbytes == (uint64_t)b->nbytes + BLOSC_HEADER ? ZS_OK : ZS_BAD;
    b->nblocks = (uint32_t)(((uint64_t)b->nbytes + b->block_nbytes - 1) / b->block_nbytes);
    return BLOSC_HEADER + 4 * (uint64_t)b->nblocks <= b->encoded_nbytes ? ZS_OK : ZS_BAD;
}

static int blosc_starts_are_inside(const char *starts, const blosc_header *b) {
    uint32_t lowest = UINT32_MAX, highest = 0;
    for (uint32_t i = 0; i < b->nblocks; i++) {
        uint32_t start = u32(starts + 4 * (size_t)i);
        lowest = start < lowest ? start : lowest, highest = start > highest ? start : highest;
    }
    return lowest >= BLOSC_HEADER + 4 * (uint64_t)b->nblocks && highest + 4ull <= b->encoded_nbytes;
}

static int blosc_whole(const char *from, size_t n, char *to, size_t want) {
    blosc_header b;
    if (n < BLOSC_HEADER || blosc_parse(from, n, want, &b) != ZS_OK) return ZS_BAD;
    if (!b.is_stored && !blosc_starts_are_inside(from + BLOSC_HEADER, &b)) return ZS_BAD;
    return blosc_decompress_ctx(from, to, want, 1) == (int)want ? ZS_OK : ZS_BAD;
}

/* Bytes LO to HI, from a container of only the blocks that hold them: c-blosc checks it as it checks any other.
   NOT_WORTH_IT if they are nearly all. */
static int blosc_needed(zs_thread *t, const source *s, char *to, size_t want, size_t lo, size_t hi) {
    char header[BLOSC_HEADER];
    blosc_header b;
    int status = take(s, header, BLOSC_HEADER, 0);
    if (status != ZS_OK) return status;
    if (blosc_parse(header, s->nbytes, want, &b) != ZS_OK) return ZS_BAD;
    if (b.is_stored) return take(s, to + lo, hi - lo, BLOSC_HEADER + lo);
    uint32_t first = (uint32_t)(lo / b.block_nbytes), last = (uint32_t)((hi - 1) / b.block_nbytes) + 1;
    if (last == b.nblocks && b.nbytes % b.block_nbytes) { /* no container is smaller than its blocks */
        if (b.nblocks < 2) return NOT_WORTH_IT;
        first = first < b.nblocks - 2 ? first : b.nblocks - 2;
    }
    if ((double)(last - first) > BLOSC_PART * (double)b.nblocks) return NOT_WORTH_IT;
    size_t table = 4 * (size_t)b.nblocks, kept = 4 * (size_t)(last - first);
    char *starts = buffer(t, BETWEEN, table);
    if (!starts) return ZS_FAILED;
    if ((status = take(s, starts, table, BLOSC_HEADER)) != ZS_OK) return status;
    if (!blosc_starts_are_inside(starts, &b)) return ZS_BAD;
    uint32_t begin = UINT32_MAX, highest = 0, end = b.encoded_nbytes; /* blocks may be stored in any order */
    for (uint32_t i = first; i < last; i++) {
        uint32_t start = u32(starts + 4 * (size_t)i);
        begin = start < begin ? start : begin, highest = start > highest ? start : highest;
    }
    for (uint32_t i = 0; i < b.nblocks; i++) {
        uint32_t start = u32(starts + 4 * (size_t)i);
        if (start > highest && start < end) end = start;
    }
    size_t place = (size_t)first * b.block_nbytes, head = BLOSC_HEADER + kept;
    size_t until = (size_t)last * b.block_nbytes < b.nbytes ? (size_t)last * b.block_nbytes : b.nbytes;
    uint32_t part = (uint32_t)(until - place), whole = (uint32_t)(head + (end - begin));
    char *container = buffer(t, ENCODED, whole);
    if (!container) return ZS_FAILED;
    memcpy(container, header, 4);
    memcpy(container + 4, &part, 4), memcpy(container + 8, &b.block_nbytes, 4), memcpy(container + 12, &whole, 4);
    for (uint32_t i = first; i < last; i++) {
        uint32_t start = u32(starts + 4 * (size_t)i) - begin + (uint32_t)head;
        memcpy(container + BLOSC_HEADER + 4 * (size_t)(i - first), &start, 4);
    }
    if ((status = take(s, container + head, end - begin, begin)) != ZS_OK) return status;
    return blosc_decompress_ctx(container, to + place, part, 1) == (int)part ? ZS_OK : ZS_BAD;
}

static int deflate_whole(zs_thread *t, int kind, const char *from, size_t n, char *to, size_t want) {
    size_t used = 0, made = 0;
    if (!t->deflate && !(t->deflate = libdeflate_alloc_decompressor())) return ZS_FAILED;
    int failed = kind == ZS_GZIP ? libdeflate_gzip_decompress_ex(t->deflate, from, n, to, want, &used, &made)
                                 : libdeflate_zlib_decompress_ex(t->deflate, from, n, to, want, &used, &made);
    return !failed && used == n && made == want ? ZS_OK : ZS_BAD;
}

/* numcodecs' form: the decoded size, then a block. */
static int lz4_whole(const char *from, size_t n, char *to, size_t want) {
    if (n < 4 || n > INT32_MAX || want > INT32_MAX || u32(from) != want) return ZS_BAD;
    return LZ4_decompress_safe(from + 4, to, (int)n - 4, (int)want) == (int)want ? ZS_OK : ZS_BAD;
}

#if defined(__GNUC__) && !defined(__clang__)
#define VECTORIZED __attribute__((optimize("O3")))
#else
#define VECTORIZED
#endif

/* All first bytes, all second bytes, and so on, back to elements. The usual sizes are constants, for the compiler's sake. */
VECTORIZED static int unshuffle(const char *restrict from, size_t n, char *restrict to, size_t want, size_t width) {
    if (n != want || n % width) return ZS_BAD;
    size_t count = n / width;
#define ELEMENTS(size)                                                     \
    for (size_t i = 0; i < count; i++)                                     \
        for (size_t byte = 0; byte < size; byte++) to[i * size + byte] = from[byte * count + i];
    switch (width) {
    case 2: ELEMENTS(2) break;
    case 4: ELEMENTS(4) break;
    case 8: ELEMENTS(8) break;
    default:
        for (size_t byte = 0; byte < width; byte++)
            for (size_t i = 0; i < count; i++) to[i * width + byte] = from[byte * count + i];
    }
    return ZS_OK;
}

/* HDF5 filter 32004: the decoded size, that of a block, and then each block after its encoded size. */
static int lz4_blocks(const char *from, size_t n, char *to, size_t want) {
    if (n < 12 || big64(from) != want || want > INT32_MAX) return ZS_BAD;
    size_t block = big32(from + 8), at = 12, done = 0;
    while (done < want && block) {
        size_t size = block < want - done ? block : want - done;
        if (n - at < 4) return ZS_BAD;
        size_t encoded = big32(from + at);
        at += 4;
        if (!encoded || encoded > n - at || encoded > INT32_MAX) return ZS_BAD;
        if (encoded == size) memcpy(to + done, from + at, size);
        else if (LZ4_decompress_safe(from + at, to + done, (int)encoded, (int)size) != (int)size) return ZS_BAD;
        at += encoded, done += size;
    }
    return done == want && at == n ? ZS_OK : ZS_BAD;
}

/* 32 bytes of eight rows at once, which the compiler keeps in registers where a processor has wide ones. */
typedef uint64_t lanes __attribute__((vector_size(32)));

/* In each pair of rows, exchange the bits at SHIFT of the first one with those at 0 of the other. */
#define EXCHANGE(a, b, shift, mask)                                     \
    do {                                                                \
        lanes change = (rows[a] >> shift ^ rows[b]) & (lanes){mask, mask, mask, mask}; \
        rows[b] ^= change, rows[a] ^= change << shift;                  \
    } while (0);
#define EXCHANGE_OF_8(unit, mask4, mask2, mask1)                                                                       \
    EXCHANGE(0, 4, 4 * unit, mask4) EXCHANGE(1, 5, 4 * unit, mask4) EXCHANGE(2, 6, 4 * unit, mask4) EXCHANGE(3, 7, 4 * unit, mask4) \
    EXCHANGE(0, 2, 2 * unit, mask2) EXCHANGE(1, 3, 2 * unit, mask2) EXCHANGE(4, 6, 2 * unit, mask2) EXCHANGE(5, 7, 2 * unit, mask2) \
    EXCHANGE(0, 1, unit, mask1) EXCHANGE(2, 3, unit, mask1) EXCHANGE(4, 5, unit, mask1) EXCHANGE(6, 7, unit, mask1)

/* Eight rows of bits, one bit of each element in a row, become the elements' bytes: bits are exchanged within the bytes that lie
   above one another, then bytes within words. NBYTES are at most those of LANES. */
static inline __attribute__((always_inline)) void join_lanes(const char *from, size_t row_nbytes, char *to, size_t nbytes) {
    lanes rows[8] = {0};
    for (int i = 0; i < 8; i++) memcpy(&rows[i], from + (size_t)i * row_nbytes, nbytes);
    EXCHANGE_OF_8(1, 0x0f0f0f0f0f0f0f0f, 0x3333333333333333, 0x5555555555555555)
    EXCHANGE_OF_8(8, 0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff)
    for (size_t i = 0; i < nbytes; i++) memcpy(to + 8 * i, (char *)&rows[i % 8] + i / 8 * 8, 8);
}

static inline __attribute__((always_inline)) void join_rows(const char *from, size_t row_nbytes, char *to) {
    size_t at = 0;
    for (; row_nbytes - at >= sizeof(lanes); at += sizeof(lanes)) join_lanes(from + at, row_nbytes, to + 8 * at, sizeof(lanes));
    if (at < row_nbytes) join_lanes(from + at, row_nbytes, to + 8 * at, row_nbytes - at);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void join_wide_rows(const char *from, size_t row_nbytes, char *to) {
    join_rows(from, row_nbytes, to);
}
#endif

static void join_bits(const char *from, size_t row_nbytes, char *to) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        join_wide_rows(from, row_nbytes, to);
        return;
    }
#endif
    join_rows(from, row_nbytes, to);
}

/* A block of a chunk of HDF5 filter 32008. */
static int block_whole(zs_thread *t, int compression, const char *from, size_t n, char *to, size_t want) {
    if (compression == ZS_ZSTD) return zstd_whole(t, from, n, to, want);
    if (n > INT32_MAX) return ZS_BAD;
    return LZ4_decompress_safe(from, to, (int)n, (int)want) == (int)want ? ZS_OK : ZS_BAD;
}

/* HDF5 filter 32008: in blocks of elements, bits of the same significance side by side. Compressed blocks follow the decoded size
   and that of a block, and each its own size. Up to seven elements at the end are stored as they are. Blocks without any of the
   bytes LO to HI are not decoded. */
static int bit_unshuffle(zs_thread *t, const zs_codec *codec, const char *from, size_t n, char *to, size_t want, size_t lo, size_t hi) {
    size_t width = (size_t)codec->width, block = (size_t)codec->block_nbytes, at = 0;
    if (codec->compression) {
        if (n < 12 || big64(from) != want) return ZS_BAD;
        block = big32(from + 8), at = 12;
    }
    if (!block || block % (8 * width)) return ZS_BAD;
    size_t shuffled = want - want % (8 * width), most = block < shuffled ? block : shuffled;
    char *rows = buffer(t, BLOCK, 2 * most + 1);
    if (!rows) return ZS_FAILED;
    for (size_t done = 0, size; done < shuffled; done += size) {
        const char *stored = from + at;
        size_t encoded = size = most < shuffled - done ? most : shuffled - done;
        if (codec->compression) {
            if (n - at < 4) return ZS_BAD;
            encoded = big32(stored), at += 4;
        }
        if (encoded > n - at) return ZS_BAD;
        at += encoded;
        if (done + size <= lo || done >= hi) continue;
        if (codec->compression) {
            int status = block_whole(t, codec->compression, stored + 4, encoded, rows, size);
            if (status != ZS_OK) return status;
            stored = rows;
        }
        char *planes = width == 1 ? to + done : rows + most;
        for (size_t begin = 0; begin < size; begin += size / width) join_bits(stored + begin, size / width / 8, planes + begin);
        if (width > 1) unshuffle(planes, size, to + done, size, width);
    }
    if (n - at != want - shuffled) return ZS_BAD;
    memcpy(to + shuffled, from + at, want - shuffled);
    return ZS_OK;
}

/* TIFF's horizontal predictor: in each row, a sample is stored as the difference from that of the pixel before. */
static int add_differences(const zs_codec *codec, const char *from, size_t n, char *to, size_t want) {
    size_t width = (size_t)codec->width, row = (size_t)codec->block_nbytes, samples = (size_t)codec->samples;
    if (n != want || want % row || row % (samples * width)) return ZS_BAD;
#define SUMS(type)                                                                                   \
    for (size_t begin = 0; begin < want; begin += row)                                               \
        for (size_t first = begin; first < begin + samples * sizeof(type); first += sizeof(type)) {  \
            type sum = 0, one;                                                                       \
            for (size_t at = first; at < begin + row; at += samples * sizeof(type)) {                \
                memcpy(&one, from + at, sizeof one);                                                 \
                sum = (type)(sum + one);                                                             \
                memcpy(to + at, &sum, sizeof sum);                                                   \
            }                                                                                        \
        }                                                                                            \
    return ZS_OK;
    switch (width) {
    case 1: SUMS(uint8_t)
    case 2: SUMS(uint16_t)
    case 4: SUMS(uint32_t)
    case 8: SUMS(uint64_t)
    }
    return ZS_BAD;
}

static int zstd_encode(zs_thread *t, const zs_codec *codec, const char *from, size_t n, char *to, size_t room, size_t *made) {
    if (!t->zstd_encoder && !(t->zstd_encoder = ZSTD_createCCtx())) return ZS_FAILED;
    ZSTD_CCtx_setParameter(t->zstd_encoder, ZSTD_LEVEL, codec->level);
    ZSTD_CCtx_setParameter(t->zstd_encoder, ZSTD_CHECKSUM, codec->has_checksum);
    t->is_zstd_encoder_large |= n >= ZSTD_KEPT_NBYTES;
    *made = ZSTD_compress2(t->zstd_encoder, to, room, from, n);
    return ZSTD_isError(*made) ? ZS_BAD : ZS_OK;
}

static void *deflate_encoder(zs_thread *t, int level) {
    if (t->deflate_encoder && t->deflate_level != level) {
        libdeflate_free_compressor(t->deflate_encoder);
        t->deflate_encoder = NULL;
    }
    t->deflate_level = level;
    return t->deflate_encoder ? t->deflate_encoder : (t->deflate_encoder = libdeflate_alloc_compressor(level));
}

VECTORIZED static void shuffle(const char *restrict from, size_t n, char *restrict to, size_t width) {
    size_t count = n / width;
    for (size_t byte = 0; byte < width; byte++)
        for (size_t i = 0; i < count; i++) to[byte * count + i] = from[i * width + byte];
}

/* Encode N bytes by one codec into a buffer of this thread, which *TO becomes. */
static int encode_once(zs_thread *t, const zs_codec *codec, int use, const char *from, size_t n, char **to, size_t *made) {
    void *deflate = NULL;
    size_t room = n;
    if (n > INT32_MAX / 2) return ZS_BAD; /* Python knows what each codec allows */
    switch (codec->kind) {
    case ZS_ZSTD: room = ZSTD_compressBound(n); break;
    case ZS_BLOSC: room = n + BLOSC_HEADER; break;
    case ZS_LZ4: room = 4 + (size_t)LZ4_compressBound((int)n); break;
    case ZS_CRC32C:
    case ZS_FLETCHER32: room = n + 4; break;
    case ZS_GZIP:
    case ZS_ZLIB:
        if (!(deflate = deflate_encoder(t, codec->level))) return ZS_BAD;
        room = codec->kind == ZS_GZIP ? libdeflate_gzip_compress_bound(deflate, n) : libdeflate_zlib_compress_bound(deflate, n);
    }
    if (!(*to = buffer(t, use, room))) return ZS_FAILED;
    int wrote;
    uint32_t word = (uint32_t)n;
    *made = n;
    switch (codec->kind) {
    case ZS_ZSTD: return zstd_encode(t, codec, from, n, *to, room, made);
    case ZS_BLOSC:
        wrote = blosc_compress_ctx(codec->level, codec->shuffle, (size_t)codec->type_nbytes, n, from, *to, room,
                                   codec->compressor, (size_t)codec->block_nbytes, 1);
        *made = (size_t)wrote;
        return wrote > 0 ? ZS_OK : ZS_BAD;
    case ZS_LZ4:
        memcpy(*to, &word, 4);
        wrote = LZ4_compress_fast(from, *to + 4, (int)n, (int)room - 4, codec->level);
        *made = (size_t)wrote + 4;
        return wrote > 0 ? ZS_OK : ZS_BAD;
    case ZS_GZIP: *made = libdeflate_gzip_compress(deflate, from, n, *to, room); break;
    case ZS_ZLIB: *made = libdeflate_zlib_compress(deflate, from, n, *to, room); break;
    case ZS_CRC32C:
    case ZS_FLETCHER32:
        word = checksum(codec, from, n);
        memcpy(*to, from, n);
        memcpy(*to + n, &word, 4);
        *made = n + 4;
        break;
    case ZS_SHUFFLE:
        if (n % (size_t)codec->width) return ZS_BAD;
        shuffle(from, n, *to, (size_t)codec->width);
        break;
    default: return ZS_BAD; /* the others are only read */
    }
    return *made ? ZS_OK : ZS_BAD;
}

/* Decode a chunk's bytes to TO, where WANT bytes have room. Only bytes LO to HI need be right. */
static int decode(const zs_job *job, zs_thread *t, const source *s, char *to, size_t want, size_t lo, size_t hi) {
    const char *from = s->memory;
    size_t n = s->nbytes;
    for (int k = job->ncodecs - 1; k >= 0; k--) {
        const zs_codec *codec = &job->codecs[k];
        if (is_checksum(codec)) {
            if (n < 4 || u32(from + n - 4) != checksum(codec, from, n - 4)) return ZS_BAD;
            n -= 4;
            continue;
        }
        size_t size = (size_t)codec->decoded_nbytes;
        char *place = k ? buffer(t, k % 2 ? BETWEEN : BEYOND, size) : to;
        if (!place) return ZS_FAILED;
        int status = ZS_BAD, is_part = !k && hi - lo < want && !job->decodes_whole;
        if (codec->kind == ZS_ZSTD)
            status = is_part && zstd_can_begin(want, hi) ? zstd_beginning(t, from, n, place, size, hi)
                                                         : zstd_whole(t, from, n, place, size);
        else if (codec->kind == ZS_BLOSC)
            status = blosc_whole(from, n, place, size);
        else if (codec->kind == ZS_GZIP || codec->kind == ZS_ZLIB)
            status = deflate_whole(t, codec->kind, from, n, place, size);
        else if (codec->kind == ZS_LZ4)
            status = lz4_whole(from, n, place, size);
        else if (codec->kind == ZS_SHUFFLE)
            status = unshuffle(from, n, place, size, (size_t)codec->width);
        else if (codec->kind == ZS_LZ4_BLOCKS)
            status = lz4_blocks(from, n, place, size);
        else if (codec->kind == ZS_DIFFERENCES)
            status = add_differences(codec, from, n, place, size);
        else
            status = bit_unshuffle(t, codec, from, n, place, size, is_part ? lo : 0, is_part ? hi : size);
        if (status != ZS_OK) return status;
        from = place, n = size;
    }
    if (n != want) return ZS_BAD;
    if (from != to) memcpy(to, from, want);
    return ZS_OK;
}

/* --- Elements between a chunk and an array */

typedef struct {
    int ndim;
    int64_t length[ZS_MAX_NDIM], from[ZS_MAX_NDIM], to[ZS_MAX_NDIM]; /* elements; bytes between them */
} box;

static void copy_swapped(char *to, const char *from, int itemsize, int width) {
    for (int begin = 0; begin < itemsize; begin += width)
        for (int i = 0; i < width; i++) to[begin + i] = from[begin + width - 1 - i];
}

/* COUNT elements of a line. The sizes are constants in each loop, so that the compiler makes single moves of them. */
static void copy_line(char *to, const char *from, int64_t count, int64_t step, int64_t from_step, int64_t nbytes, int swap) {
#define LINE(size, move)                                                                  \
    for (int64_t i = 0; i < count; i++, to += step, from += from_step) { move(size) }     \
    return;
#define PLAIN(size) memcpy(to, from, size);
#define SWAPPED(size)                                \
    uint##size##_t value;                            \
    memcpy(&value, from, sizeof value);              \
    value = __builtin_bswap##size(value);            \
    memcpy(to, &value, sizeof value);
    if (swap == 2 && nbytes == 2) { LINE(16, SWAPPED) }
    if (swap == 4 && nbytes == 4) { LINE(32, SWAPPED) }
    if (swap == 8 && nbytes == 8) { LINE(64, SWAPPED) }
    if (swap) {
        for (int64_t i = 0; i < count; i++, to += step, from += from_step) copy_swapped(to, from, (int)nbytes, swap);
        return;
    }
    switch (nbytes) {
    case 1: LINE(1, PLAIN)
    case 2: LINE(2, PLAIN)
    case 4: LINE(4, PLAIN)
    case 8: LINE(8, PLAIN)
    case 16: LINE(16, PLAIN)
    }
    for (int64_t i = 0; i < count; i++, to += step, from += from_step) memcpy(to, from, (size_t)nbytes);
}

static int64_t magnitude(int64_t n) { return n < 0 ? -n : n; }

/* Copy a box: the dimension that is closest together in the destination innermost, and what is contiguous as one piece. */
static void copy_box(const box *all, char *to, const char *from, int64_t itemsize, int swap) {
    box b = {0};
    for (int d = 0; d < all->ndim; d++) {
        if (all->length[d] == 1) continue;
        int at = b.ndim++;
        for (; at && magnitude(b.to[at - 1]) < magnitude(all->to[d]); at--)
            b.length[at] = b.length[at - 1], b.from[at] = b.from[at - 1], b.to[at] = b.to[at - 1];
        b.length[at] = all->length[d], b.from[at] = all->from[d], b.to[at] = all->to[d];
    }
    int64_t nbytes = itemsize;
    while (!swap && b.ndim && b.from[b.ndim - 1] == nbytes && b.to[b.ndim - 1] == nbytes) nbytes *= b.length[--b.ndim];
    int last = b.ndim - 1;
    int64_t done[ZS_MAX_NDIM] = {0};
    for (;;) {
        if (last < 0)
            copy_line(to, from, 1, 0, 0, nbytes, swap);
        else
            copy_line(to, from, b.length[last], b.to[last], b.from[last], nbytes, swap);
        int d = last - 1;
        for (; d >= 0; d--) {
            to += b.to[d], from += b.from[d];
            if (++done[d] < b.length[d]) break;
            to -= b.to[d] * b.length[d], from -= b.from[d] * b.length[d], done[d] = 0;
        }
        if (d < 0) return;
    }
}

/* --- Units */

/* Where the elements of a unit are: in the decoded chunk and in the array. */
typedef struct {
    int64_t index[ZS_MAX_NDIM]; /* in the grid */
    box box;                    /* from the chunk to the array */
    char *place;                /* the first element in the array */
    size_t lo, hi, chunk_nbytes; /* the bytes of the chunk that hold the elements */
    int is_contiguous;          /* the elements lie in the chunk as they do in the array, without gaps */
    const int64_t *points;      /* the offsets of single elements in the chunk; NULL if the whole box is read */
    int64_t npoints;
} unit;

static void find_unit(const zs_job *job, int64_t number, unit *u) {
    u->box.ndim = job->ndim;
    u->place = job->arrays ? job->arrays[number] : job->array;
    u->points = NULL;
    if (job->points) {
        u->points = job->points + job->first_points[number];
        u->npoints = job->first_points[number + 1] - job->first_points[number];
        u->place += job->first_points[number] * job->itemsize;
    }
    u->lo = 0, u->hi = u->chunk_nbytes = (size_t)job->itemsize;
    for (int d = job->ndim - 1; d >= 0; d--) {
        const zs_axis *axis = &job->axes[d];
        const zs_crossing *c = &axis->crossings[job->is_listed ? number : number % axis->ncrossings];
        if (!job->is_listed) number /= axis->ncrossings;
        u->index[d] = c->index;
        u->box.length[d] = c->count;
        u->box.from[d] = c->count > 1 ? c->step * axis->chunk_stride : 0; /* a step that leads nowhere may be huge */
        u->box.to[d] = axis->array_stride;
        u->place += c->place * axis->array_stride;
        u->lo += (size_t)(c->first * axis->chunk_stride);
        u->hi += (size_t)((c->first + (c->count - 1) * c->step) * axis->chunk_stride);
        u->chunk_nbytes *= (size_t)axis->chunk_length;
    }
    int64_t nbytes = job->itemsize;
    u->is_contiguous = !job->swap_nbytes && !job->points;
    for (int d = job->ndim - 1; d >= 0 && u->is_contiguous; d--) {
        u->is_contiguous = u->box.length[d] == 1 || (u->box.from[d] == nbytes && u->box.to[d] == nbytes);
        nbytes *= u->box.length[d];
    }
}

/* Copy what is wanted to the array, from byte LO of the chunk on. */
static void copy_wanted(const zs_job *job, const unit *u, const char *from) {
    if (!u->points) {
        copy_box(&u->box, u->place, from, job->itemsize, job->swap_nbytes);
        return;
    }
    char *to = u->place;
    for (int64_t i = 0; i < u->npoints; i++, to += job->itemsize)
        copy_line(to, from + ((size_t)u->points[i] - u->lo), 1, 0, 0, job->itemsize, job->swap_nbytes);
}

static int read_unit(const zs_job *job, zs_thread *t, const unit *u, const source *s) {
    size_t want = u->chunk_nbytes, part = u->hi - u->lo;
    if (!job->ncodecs) {
        if (s->nbytes != want) return ZS_BAD;
        char *to = u->is_contiguous ? u->place : buffer(t, DECODED, part);
        if (!to) return ZS_FAILED;
        int status = take(s, to, part, u->lo);
        if (status == ZS_OK && !u->is_contiguous) copy_wanted(job, u, to);
        return status;
    }
    if (s->nbytes > (uint64_t)job->max_encoded_nbytes) return ZS_TOO_LARGE;
    int is_in_place = u->is_contiguous && part == want;
    char *to = is_in_place ? u->place : buffer(t, DECODED, want);
    if (!to) return ZS_FAILED;
    int status = NOT_WORTH_IT;
    if (!job->decodes_whole && job->ncodecs == 1 && job->codecs->kind == ZS_BLOSC && (double)part <= BLOSC_PART * (double)want)
        status = blosc_needed(t, s, to, want, u->lo, u->hi);
    if (status == NOT_WORTH_IT) {
        source whole = *s;
        status = ZS_OK;
        if (!s->memory) {
            if (!(whole.memory = buffer(t, ENCODED, s->nbytes))) return ZS_FAILED;
            status = take(s, (char *)whole.memory, s->nbytes, 0);
        }
        if (status == ZS_OK) status = decode(job, t, &whole, to, want, u->lo, u->hi);
    }
    if (status == ZS_OK && !is_in_place) copy_wanted(job, u, to + u->lo);
    return status;
}

static void repeat(char *to, size_t nbytes, const char *element, size_t itemsize) {
    memcpy(to, element, itemsize);
    for (size_t done = itemsize; done < nbytes;) {
        size_t part = done < nbytes - done ? done : nbytes - done;
        memcpy(to + done, to, part);
        done += part;
    }
}

/* Give what is wanted of a missing unit the value FILL, a row of it at a time where the array has rows. */
static int fill_unit(const zs_job *job, zs_thread *t, const unit *u) {
    size_t size = (size_t)job->itemsize;
    const char *from = job->fill;
    box b = u->box;
    if (u->points) {
        if (u->npoints) repeat(u->place, (size_t)u->npoints * size, job->fill, size);
        return ZS_OK;
    }
    for (int d = 0; d < b.ndim; d++) {
        b.from[d] = 0;
        if (from != job->fill || b.to[d] != job->itemsize || b.length[d] == 1) continue;
        char *row = buffer(t, DECODED, (size_t)b.length[d] * size);
        if (!row) return ZS_FAILED;
        repeat(row, (size_t)b.length[d] * size, job->fill, size);
        from = row, b.from[d] = job->itemsize;
    }
    copy_box(&b, u->place, from, job->itemsize, 0);
    return ZS_OK;
}

/* Whether nothing on the path of a missing file is a link, which might lead nowhere: that is an error, and Python's. */
static int is_without_links(int root, const char *name) {
    struct { uint64_t flags, mode, resolve; } how = {
        O_PATH | O_NOFOLLOW | O_CLOEXEC, 0, RESOLVE_BENEATH_ | RESOLVE_NO_SYMLINKS_,
    };
    int fd = (int)syscall(SYS_openat2, root, name, &how, sizeof how);
    if (fd >= 0) close(fd);
    return fd < 0 && errno == ENOENT;
}

/* The name of a unit's file; 0 if it is too long. */
static int unit_name(const zs_job *job, const unit *u, char *name) {
    size_t n = strlen(job->lead);
    if (n >= NAME_NBYTES) return 0;
    memcpy(name, job->lead, n);
    for (int i = 0; i < job->ndim; i++) {
        uint64_t index = (uint64_t)u->index[job->is_reversed ? job->ndim - 1 - i : i];
        char digits[20];
        size_t count = 0;
        do digits[count++] = (char)('0' + index % 10);
        while (index /= 10);
        if (n + count + 2 > NAME_NBYTES) return 0;
        if (i) name[n++] = job->separator;
        while (count) name[n++] = digits[--count];
    }
    name[n] = 0;
    return 1;
}

static void read_as_file(const zs_job *job, zs_thread *t, int64_t number, int32_t *status) {
    unit u;
    char name[NAME_NBYTES];
    struct stat facts;
    find_unit(job, number, &u);
    *status = ZS_FAILED;
    if (!unit_name(job, &u, name)) return;
    int fd = open_beneath(job->root, job->follows_links, name, FILE_);
    if (fd < 0) {
        if (errno == ENOENT || errno == ENOTDIR) *status = ZS_MISSING;
        if (errno == ENOENT && job->fill && is_without_links(job->root, name) && fill_unit(job, t, &u) == ZS_OK)
            *status = ZS_FILLED;
        return;
    }
    if (!fstat(fd, &facts)) {
        source s = {NULL, fd, 0, (size_t)facts.st_size};
        *status = S_ISREG(facts.st_mode) ? read_unit(job, t, &u, &s) : ZS_MISSING;
    }
    close(fd);
}

/* Times after the year 2262 have more nanoseconds than 64 bits: both numbers are without what is beyond. */
static int is_same_file(const zs_job *job, int fd) {
    struct stat facts;
    return !fstat(fd, &facts) && S_ISREG(facts.st_mode) && (int64_t)facts.st_ino == job->inode &&
           facts.st_size == job->file_nbytes &&
           (uint64_t)facts.st_mtim.tv_sec * 1000000000 + (uint64_t)facts.st_mtim.tv_nsec == (uint64_t)job->mtime_ns;
}

static void read_parts(const zs_job *job, zs_thread *t, int64_t first, int64_t stop, int32_t *status) {
    unit u;
    int fd = job->bytes ? -1 : open_beneath(job->root, job->follows_links, job->lead, FILE_);
    int is_same = job->bytes || (fd >= 0 && is_same_file(job, fd));
    for (int64_t i = first; i < stop && is_same; i++) {
        int64_t number = job->order ? job->order[i] : i;
        uint64_t offset = job->parts[2 * number], nbytes = job->parts[2 * number + 1];
        if (offset == UINT64_MAX && nbytes == UINT64_MAX) {
            find_unit(job, number, &u);
            status[i] = job->fill ? fill_unit(job, t, &u) : ZS_MISSING;
        } else if (nbytes > (uint64_t)job->file_nbytes || offset > (uint64_t)job->file_nbytes - nbytes) {
            status[i] = ZS_BAD;
        } else {
            source s = {job->bytes ? job->bytes + offset : NULL, fd, offset, nbytes};
            find_unit(job, number, &u);
            status[i] = read_unit(job, t, &u, &s);
        }
    }
    if (!is_same || (!job->bytes && !is_same_file(job, fd)))
        for (int64_t i = first; i < stop; i++) status[i] = ZS_CHANGED;
    if (fd >= 0) close(fd);
}

void zs_read(const zs_job *job, zs_thread *thread, int64_t first, int64_t stop, int32_t *status) {
    if (job->parts) {
        read_parts(job, thread, first, stop, status);
    } else {
        for (int64_t i = first; i < stop; i++) read_as_file(job, thread, i, &status[i]);
    }
    forget_large(thread);
}

/* --- Writing */

static int is_only(const char *chunk, size_t nbytes, const char *element, size_t itemsize) {
    return !memcmp(chunk, element, itemsize) && !memcmp(chunk, chunk + itemsize, nbytes - itemsize);
}

/* The bytes of a decoded chunk: in the array itself if they lie there, else gathered. NULL if there is no memory. */
static const char *chunk_of(const zs_job *job, zs_thread *t, unit *u) {
    int is_whole = 1;
    for (int d = 0; d < job->ndim; d++) is_whole = is_whole && u->box.length[d] == job->axes[d].chunk_length;
    if (is_whole && u->is_contiguous) return u->place;
    char *chunk = buffer(t, DECODED, u->chunk_nbytes);
    if (!chunk) return NULL;
    if (!is_whole) repeat(chunk, u->chunk_nbytes, job->fill, (size_t)job->itemsize);
    for (int d = 0; d < job->ndim; d++) {
        int64_t in_array = u->box.to[d];
        u->box.to[d] = u->box.from[d] ? u->box.from[d] : job->axes[d].chunk_stride;
        u->box.from[d] = in_array;
    }
    copy_box(&u->box, chunk, u->place, job->itemsize, job->swap_nbytes);
    return chunk;
}

static int write_file(int fd, const char *from, size_t nbytes) {
    while (nbytes) {
        ssize_t wrote = write(fd, from, nbytes);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote < 0) return ZS_FAILED;
        from += wrote, nbytes -= (size_t)wrote;
    }
    return ZS_OK;
}

/* Give a file without a name its name, which may be another file's: that one is replaced. The temporary name is one that
   zarrcore knows, and removes if a killed writer leaves it. */
static int give_name(int folder, int fd, const char *name) {
    char own[40], temporary[48];
    snprintf(own, sizeof own, "/proc/self/fd/%d", fd);
    if (!linkat(AT_FDCWD, own, folder, name, AT_SYMLINK_FOLLOW)) return ZS_OK;
    uint64_t random;
    if (errno != EEXIST || syscall(SYS_getrandom, &random, sizeof random, 0) != sizeof random) return ZS_FAILED;
    snprintf(temporary, sizeof temporary, ".zarrscope-%016llx.partial", (unsigned long long)random);
    if (linkat(AT_FDCWD, own, folder, temporary, AT_SYMLINK_FOLLOW)) return ZS_FAILED;
    if (!renameat(folder, temporary, folder, name)) return ZS_OK;
    unlinkat(folder, temporary, 0);
    return ZS_FAILED;
}

/* The folder of the file before, which is often that of this one. */
typedef struct {
    int root, follows_links, fd;
    char path[NAME_NBYTES];
} folder;

static int enter(folder *f, const char *path) {
    if (f->fd >= 0 && !strcmp(f->path, path)) return ZS_OK;
    if (f->fd >= 0) close(f->fd);
    strcpy(f->path, path); /* both have the same size */
    f->fd = open_beneath(f->root, f->follows_links, *path ? path : ".", FOLDER);
    return f->fd >= 0 ? ZS_OK : errno == ENOENT ? ZS_NO_FOLDER : ZS_FAILED;
}

/* Begin a new file without a name in the folder of PATH, which becomes that folder's path; *NAME becomes the last part. */
static int begin_file(folder *f, char *path, char *name, int *fd) {
    char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
    if (strlen(last) > NAME_MAX) return ZS_FAILED;
    strcpy(name, last);
    *(slash ? slash : path) = 0;
    int status = enter(f, path);
    if (status != ZS_OK) return status;
    *fd = openat(f->fd, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0666);
    return *fd < 0 ? ZS_FAILED : ZS_OK;
}

static int write_unit(const zs_job *job, zs_thread *t, folder *f, int64_t number) {
    unit u;
    char path[NAME_NBYTES] = "", name[NAME_MAX + 1];
    int fd;
    find_unit(job, number, &u);
    if (!unit_name(job, &u, path)) return ZS_FAILED;
    const char *chunk = chunk_of(job, t, &u);
    if (!chunk) return ZS_FAILED;
    if (!job->stores_empty && is_only(chunk, u.chunk_nbytes, job->fill, (size_t)job->itemsize)) return ZS_EMPTY;
    int status = begin_file(f, path, name, &fd);
    if (status != ZS_OK) return status;
    size_t nbytes = u.chunk_nbytes;
    for (int k = 0; k < job->ncodecs && status == ZS_OK; k++) {
        char *encoded;
        status = encode_once(t, &job->codecs[k], k % 2 ? BETWEEN : ENCODED, chunk, nbytes, &encoded, &nbytes);
        chunk = encoded;
    }
    if (status == ZS_OK) status = write_file(fd, chunk, nbytes);
    if (status == ZS_OK) status = give_name(f->fd, fd, name);
    close(fd);
    return status;
}

void zs_write(const zs_job *job, zs_thread *thread, const uint32_t *numbers, int64_t count, int32_t *status) {
    folder f = {job->root, job->follows_links, -1, ""};
    for (int64_t i = 0; i < count; i++)
        status[i] = numbers[i] < job->nunits && job->fill ? write_unit(job, thread, &f, numbers[i]) : ZS_FAILED;
    if (f.fd >= 0) close(f.fd);
    forget_large(thread);
}

/* --- Copying */

static int copy_to(const zs_copy_job *job, zs_thread *t, folder *f, int from, size_t nbytes, char *path) {
    char name[NAME_MAX + 1];
    int fd;
    int status = begin_file(f, path, name, &fd);
    if (status != ZS_OK) return status;
    char *content = buffer(t, ENCODED, nbytes), *back = job->verifies ? buffer(t, DECODED, nbytes) : content;
    status = content && back ? read_file(from, content, nbytes, 0) : ZS_FAILED;
    if (status == ZS_OK) status = write_file(fd, content, nbytes);
    if (status == ZS_OK && job->verifies) {
        status = read_file(fd, back, nbytes, 0);
        if (status == ZS_OK && memcmp(content, back, nbytes)) status = ZS_BAD;
    }
    if (status == ZS_OK) status = give_name(f->fd, fd, name);
    close(fd);
    return status;
}

static int copy_file(const zs_copy_job *job, zs_thread *t, folder *f, const char *name, const char *new_name) {
    struct stat facts;
    char path[NAME_NBYTES];
    if (strlen(new_name) >= sizeof path) return ZS_FAILED;
    strcpy(path, new_name);
    int from = open_beneath(job->root, job->follows_links, name, FILE_);
    if (from < 0) return errno == ENOENT || errno == ENOTDIR ? ZS_MISSING : ZS_FAILED;
    int status = ZS_FAILED;
    if (!fstat(from, &facts)) {
        if (!S_ISREG(facts.st_mode)) status = ZS_MISSING;
        else if (facts.st_size > job->max_nbytes) status = ZS_TOO_LARGE;
        else status = copy_to(job, t, f, from, (size_t)facts.st_size, path);
    }
    close(from);
    return status;
}

void zs_copy(const zs_copy_job *job, zs_thread *thread, int32_t *status) {
    folder f = {job->new_root, job->new_follows_links, -1, ""};
    const char *name = job->names, *new_name = job->new_names;
    for (int64_t i = 0; i < job->count; i++) {
        size_t n = strnlen(name, (size_t)(job->names + job->names_nbytes - name));
        size_t m = strnlen(new_name, (size_t)(job->new_names + job->new_names_nbytes - new_name));
        if (name + n >= job->names + job->names_nbytes || new_name + m >= job->new_names + job->new_names_nbytes) {
            status[i] = ZS_FAILED; /* there are fewer names than files */
            continue;
        }
        status[i] = copy_file(job, thread, &f, name, new_name);
        name += n + 1, new_name += m + 1;
    }
    if (f.fd >= 0) close(f.fd);
    forget_large(thread);
}

/* --- Checking a job */

static int kind_is_known(const zs_codec *codec, int kind) {
    switch (kind) {
    case ZS_ZSTD:
        return ZSTD_versionNumber && ZSTD_createDCtx && ZSTD_freeDCtx && ZSTD_DCtx_reset && ZSTD_DCtx_setParameter &&
               ZSTD_decompressDCtx && ZSTD_decompressStream && ZSTD_getFrameContentSize && ZSTD_findFrameCompressedSize &&
               ZSTD_isError && ZSTD_createCCtx && ZSTD_freeCCtx && ZSTD_CCtx_setParameter && ZSTD_compressBound &&
               ZSTD_compress2;
    case ZS_BLOSC:
        return blosc_decompress_ctx && blosc_compress_ctx && codec->decoded_nbytes <= INT32_MAX && codec->compressor &&
               codec->type_nbytes > 0 && codec->block_nbytes >= 0;
    case ZS_GZIP:
    case ZS_ZLIB:
        return libdeflate_alloc_decompressor && libdeflate_free_decompressor && libdeflate_gzip_decompress_ex &&
               libdeflate_zlib_decompress_ex && libdeflate_alloc_compressor && libdeflate_free_compressor &&
               libdeflate_gzip_compress_bound && libdeflate_gzip_compress && libdeflate_zlib_compress_bound &&
               libdeflate_zlib_compress;
    case ZS_LZ4:
    case ZS_LZ4_BLOCKS:
        return LZ4_decompress_safe && LZ4_compressBound && LZ4_compress_fast && codec->decoded_nbytes <= INT32_MAX;
    case ZS_BITSHUFFLE:
        if (codec->width < 1 || (codec->compression && codec->compression != ZS_LZ4 && codec->compression != ZS_ZSTD)) return 0;
        return codec->compression ? kind_is_known(codec, codec->compression) : codec->block_nbytes > 0;
    case ZS_SHUFFLE: return codec->width > 0;
    case ZS_DIFFERENCES:
        return codec->samples > 0 && codec->width > 0 && codec->block_nbytes > 0 && codec->block_nbytes % codec->width == 0;
    case ZS_CRC32C:
    case ZS_FLETCHER32: return 1;
    }
    return 0;
}

static int codecs_fit(const zs_job *job, int64_t want) {
    if (job->ncodecs < 0 || job->ncodecs > ZS_MAX_CODECS || (job->ncodecs && !job->codecs)) return 0;
    for (int k = 0; k < job->ncodecs; k++) {
        const zs_codec *codec = &job->codecs[k];
        if (!kind_is_known(codec, codec->kind)) return 0;
        if (!is_checksum(codec) && codec->decoded_nbytes < 0) return 0;
        if (!k && codec->decoded_nbytes != want) return 0;
    }
    return 1;
}

static int crossings_fit(const zs_axis *axis) {
    if (axis->ncrossings < 1 || !axis->crossings) return 0;
    for (int64_t i = 0; i < axis->ncrossings; i++) {
        const zs_crossing *c = &axis->crossings[i];
        int64_t last;
        if (c->index < 0 || c->first < 0 || c->count < 1 || c->step < 1 || c->place < 0) return 0;
        if (__builtin_mul_overflow(c->count - 1, c->step, &last) || __builtin_add_overflow(last, c->first, &last)) return 0;
        if (last >= axis->chunk_length) return 0;
        if (c->count > axis->array_length || c->place > axis->array_length - c->count) return 0;
    }
    return 1;
}

static int points_fit(const zs_job *job) {
    int64_t nbytes, done = 0;
    unit u;
    if (!job->first_points || !job->is_listed || job->arrays || job->npoints < 0 || job->first_points[0]) return 0;
    if (__builtin_mul_overflow(job->npoints, job->itemsize, &nbytes) || nbytes > job->memory_end - job->array) return 0;
    for (int64_t n = 0; n < job->nunits; n++) {
        int64_t stop = job->first_points[n + 1];
        if (stop < done || stop > job->npoints) return 0;
        find_unit(job, n, &u);
        for (; done < stop; done++)
            if (job->points[done] < (int64_t)u.lo || job->points[done] > (int64_t)u.hi - job->itemsize) return 0;
    }
    return 1;
}

int zs_check(const zs_job *job) {
    int64_t want = job->itemsize, units = 1, last = job->itemsize, before = 0, after = job->itemsize, reach;
    if (job->ndim < 1 || job->ndim > ZS_MAX_NDIM || job->itemsize < 1 || !job->axes || !job->array || !job->lead) return -1;
    if (job->swap_nbytes < 0 || (job->swap_nbytes && job->itemsize % job->swap_nbytes)) return -2;
    for (int d = 0; d < job->ndim; d++) {
        const zs_axis *axis = &job->axes[d];
        if (axis->chunk_length < 1 || axis->chunk_stride < 1 || axis->array_length < 1 || !crossings_fit(axis)) return -3;
        if (__builtin_mul_overflow(want, axis->chunk_length, &want)) return -4;
        if (job->is_listed) units = axis->ncrossings;
        else if (__builtin_mul_overflow(units, axis->ncrossings, &units)) return -5;
        if (job->is_listed && units != job->nunits) return -5;
        if (__builtin_mul_overflow(axis->chunk_length - 1, axis->chunk_stride, &reach)) return -6;
        if (__builtin_add_overflow(last, reach, &last)) return -6;
        if (__builtin_mul_overflow(axis->array_length - 1, axis->array_stride, &reach)) return -7;
        if (__builtin_add_overflow(reach < 0 ? before : after, reach, reach < 0 ? &before : &after)) return -7;
    }
    if (last != want || units != job->nunits || !codecs_fit(job, want)) return -8;
    /* The array must lie in the memory, whatever the signs of its strides. */
    if (job->memory > job->memory_end || job->array < job->memory || job->array > job->memory_end) return -9;
    if (before < job->memory - job->array || after > job->memory_end - job->array) return -9;
    if (job->points && !points_fit(job)) return -9;
    if (job->bytes && !job->parts) return -10;
    if (job->parts) {
        if (job->nunits > UINT32_MAX || job->file_nbytes < 0) return -10;
        for (int64_t i = 0; job->order && i < job->nunits; i++)
            if (job->order[i] >= job->nunits) return -10;
    }
    return job->max_encoded_nbytes < 0 ? -11 : 0;
}
