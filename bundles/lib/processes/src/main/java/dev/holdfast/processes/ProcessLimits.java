package dev.holdfast.processes;

/**
 * Resource limits of a process and of what it starts (setrlimit(2)). 0 stands for the limit of the
 * program that starts it.
 *
 * @param openFiles how many files it may have open; 0 for no change
 * @param addressSpaceBytes how much address space it may have, a multiple of 1024; 0 for no change
 */
public record ProcessLimits(long openFiles, long addressSpaceBytes) {
  /** Limits of the program that starts the process. */
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
