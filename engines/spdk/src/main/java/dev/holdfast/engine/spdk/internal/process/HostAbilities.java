package dev.holdfast.engine.spdk.internal.process;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks that the machine has what a target needs, before its process is started. */
final class HostAbilities {
  private static final Pattern FREE = Pattern.compile("(?m)^HugePages_Free:\\s+(\\d+)$");
  private static final Pattern SIZE = Pattern.compile("(?m)^Hugepagesize:\\s+(\\d+) kB$");

  private final Path memory;
  private final int cores;

  /**
   * Creates the checks.
   *
   * @param memory file with the format of {@code /proc/meminfo}
   * @param cores how many cores the machine has
   */
  HostAbilities(Path memory, int cores) {
    this.memory = memory;
    this.cores = cores;
  }

  /** Returns the checks of this machine. */
  static HostAbilities ofThisMachine() {
    return new HostAbilities(Path.of("/proc/meminfo"), Runtime.getRuntime().availableProcessors());
  }

  /**
   * Checks a target's needs.
   *
   * @throws StorageException UNSUPPORTED with what is missing and the remedy
   */
  void require(TargetOptions options) throws StorageException {
    Path program = options.program();
    if (!Files.isRegularFile(program)) {
      throw missing(
          program
              + ": is not there: install SPDK v26.05, or set "
              + TargetOptions.PROGRAM
              + " to its nvmf_tgt");
    }
    if (!Files.isExecutable(program)) {
      throw missing(program + ": is not executable: run chmod +x " + program);
    }
    int last = options.cores().get(options.cores().size() - 1);
    if (last >= cores) {
      throw missing(
          TargetOptions.CORES
              + ": the machine has no core "
              + last
              + ": give cores from 0 to "
              + (cores - 1));
    }
    if (options.hugePages()) {
      requireHugePages(options.memoryMib());
    }
  }

  private void requireHugePages(int mib) throws StorageException {
    String text;
    try {
      text = Files.readString(memory);
    } catch (IOException e) {
      throw StorageException.io(memory.toString(), e);
    }
    long size = number(SIZE, text);
    long free = number(FREE, text) * size;
    long needed = mib * 1_024L;
    if (free < needed) {
      String pages = size == 0 ? "" : ", at least " + (needed + size - 1) / size + " free ones";
      throw missing(
          TargetOptions.HUGE_PAGES
              + ": "
              + free / 1_024
              + " MiB of huge pages are free, "
              + mib
              + " MiB are required: raise vm.nr_hugepages"
              + pages
              + ", or set the option to false");
    }
  }

  private static long number(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  private static StorageException missing(String message) {
    return new StorageException(ErrorCode.UNSUPPORTED, message);
  }
}
