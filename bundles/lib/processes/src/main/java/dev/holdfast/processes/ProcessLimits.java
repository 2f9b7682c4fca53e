package dev.holdfast.processes;

/**
 * Resource limits of a process and its children (setrlimit(2)). 0 means the limit of the starting
 * program.
 *
 * @param openFiles limit of open files; 0 for no change
 * @param addressSpaceBytes limit of the address space, a multiple of 1024; 0 for no change
 */
public record ProcessLimits(long openFiles, long addressSpaceBytes) {
  /** The limits of the starting program. */
  public static final ProcessLimits INHERITED = new ProcessLimits(0, 0);

  /** Checks the ranges. */
  public ProcessLimits {
    if (openFiles < 0) {
      throw new IllegalArgumentException("openFiles: " + openFiles + ", must not be negative");
    }
    if (addressSpaceBytes < 0 || addressSpaceBytes % 1024 != 0) {
      throw new IllegalArgumentException(
          "addressSpaceBytes: " + addressSpaceBytes + ", must be a multiple of 1024");
    }
  }
}
