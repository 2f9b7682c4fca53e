package dev.holdfast.posix;

import java.nio.ByteBuffer;
import jnr.ffi.types.off_t;
import jnr.ffi.types.size_t;

/** The required functions of the C library. Public because the generated binding needs it. */
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

  /** See ftruncate(2). */
  int ftruncate(int descriptor, @off_t long length);

  /** See fsync(2). */
  int fsync(int descriptor);

  /** See preadv2(2); the vector is the address of an array of {@code iovec}. */
  long preadv2(int descriptor, long vector, int count, @off_t long offset, int flags);

  /** See syscall(2), for system calls without a wrapper in the C library. */
  long syscall(long number, long one, long two, long three, long four);

  /** See ioctl(2), for requests whose argument is memory. */
  int ioctl(int descriptor, long request, ByteBuffer argument);

  /** See socket(2). */
  int socket(int domain, int type, int protocol);

  /** See sendto(2); the address is a {@code sockaddr} of the socket's domain. */
  long sendto(
      int descriptor,
      ByteBuffer data,
      @size_t long length,
      int flags,
      ByteBuffer address,
      int addressLength);

  /** See getpagesize(2). */
  int getpagesize();

  /** See strerror(3). */
  String strerror(int error);
}
