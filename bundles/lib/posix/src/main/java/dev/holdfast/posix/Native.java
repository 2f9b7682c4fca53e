package dev.holdfast.posix;

import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;

/** Loads the library at first use. */
final class Native {
  static final LibC LIBC = LibraryLoader.create(LibC.class).failImmediately().load("c");
  static final Runtime RUNTIME = Runtime.getRuntime(LIBC);

  private Native() {}
}
