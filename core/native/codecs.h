/* The codecs' functions, which Python passes by name when the engine is loaded: numcodecs' and deflate's modules export them.
   So the engine is built without their headers and libraries, and decodes with the very code that the Python path uses. */

#ifndef ZARRSCOPE_CODECS_H
#define ZARRSCOPE_CODECS_H

#include <stddef.h>

typedef struct { const void *src; size_t size, pos; } zstd_in;
typedef struct { void *dst; size_t size, pos; } zstd_out;

#define ZSTD_LEVEL 100
#define ZSTD_CHECKSUM 201
#define ZSTD_RESET_SESSION 1
#define ZSTD_STABLE_OUT_BUFFER 1001 /* experimental: the same number from 1.4.5 on, see zstd_can_begin */

#define FUNCTIONS(F)                                                                                        \
    F(unsigned, ZSTD_versionNumber, (void))                                                                 \
    F(void *, ZSTD_createDCtx, (void))                                                                      \
    F(size_t, ZSTD_freeDCtx, (void *))                                                                      \
    F(size_t, ZSTD_DCtx_reset, (void *, int))                                                               \
    F(size_t, ZSTD_DCtx_setParameter, (void *, int, int))                                                   \
    F(size_t, ZSTD_decompressDCtx, (void *, void *, size_t, const void *, size_t))                          \
    F(size_t, ZSTD_decompressStream, (void *, zstd_out *, zstd_in *))                                       \
    F(unsigned long long, ZSTD_getFrameContentSize, (const void *, size_t))                                 \
    F(size_t, ZSTD_findFrameCompressedSize, (const void *, size_t))                                         \
    F(unsigned, ZSTD_isError, (size_t))                                                                     \
    F(void *, ZSTD_createCCtx, (void))                                                                      \
    F(size_t, ZSTD_freeCCtx, (void *))                                                                      \
    F(size_t, ZSTD_CCtx_setParameter, (void *, int, int))                                                   \
    F(size_t, ZSTD_compressBound, (size_t))                                                                 \
    F(size_t, ZSTD_compress2, (void *, void *, size_t, const void *, size_t))                               \
    F(int, blosc_compress_ctx, (int, int, size_t, size_t, const void *, void *, size_t, const char *, size_t, int)) \
    F(int, LZ4_compressBound, (int))                                                                        \
    F(int, LZ4_compress_fast, (const char *, char *, int, int, int))                                        \
    F(void *, libdeflate_alloc_compressor, (int))                                                           \
    F(void, libdeflate_free_compressor, (void *))                                                           \
    F(size_t, libdeflate_gzip_compress_bound, (void *, size_t))                                             \
    F(size_t, libdeflate_gzip_compress, (void *, const void *, size_t, void *, size_t))                     \
    F(size_t, libdeflate_zlib_compress_bound, (void *, size_t))                                             \
    F(size_t, libdeflate_zlib_compress, (void *, const void *, size_t, void *, size_t))                     \
    F(int, blosc_decompress_ctx, (const void *, void *, size_t, int))                                       \
    F(int, LZ4_decompress_safe, (const char *, char *, int, int))                                           \
    F(void *, libdeflate_alloc_decompressor, (void))                                                        \
    F(void, libdeflate_free_decompressor, (void *))                                                         \
    F(int, libdeflate_gzip_decompress_ex, (void *, const void *, size_t, void *, size_t, size_t *, size_t *)) \
    F(int, libdeflate_zlib_decompress_ex, (void *, const void *, size_t, void *, size_t, size_t *, size_t *))

#define DECLARE(result, name, arguments) static result(*name) arguments;
FUNCTIONS(DECLARE)
#undef DECLARE

#endif
