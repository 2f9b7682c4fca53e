package dev.holdfast.posix;

import jnr.ffi.types.off_t;

/** The calls of the C library that are used here. Public because the generated binding needs it. */
public interface LibC {
  /** See open(2). */
  int open(String path, int flags, int mode);

  /** See close(2). */
  int close(int descriptor);

  /** See fallocate(2). */
  int fallocate(int descriptor, int mode, @off_t long offset, @off_t long length);

  /** See lseek(2). */
  @off_t
  long lseek(int descriptor, @off_t long offset, int whence);

  /** See fsync(2). */
  int fsync(int descriptor);

  /** See strerror(3). */
  String strerror(int error);
}
