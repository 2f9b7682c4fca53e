package dev.holdfast.engine.spdk.internal.process;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Options of the target's process.
 *
 * @param program absolute path of {@code nvmf_tgt}
 * @param cores numbers of the cores that it keeps busy, ascending, at least one
 * @param memoryMib memory in MiB, at least 448, because v26.05 does not start with less
 * @param hugePages whether the memory is of huge pages
 * @param sharedCores whether another target may run on the same cores
 */
public record TargetOptions(
    Path program, List<Integer> cores, int memoryMib, boolean hugePages, boolean sharedCores) {
  /** Names the program of a target that the node runs. */
  public static final String PROGRAM = "holdfast.spdk.program";

  static final String CORES = "holdfast.spdk.cores";
  static final String MEMORY = "holdfast.spdk.memory";
  static final String HUGE_PAGES = "holdfast.spdk.huge-pages";
  static final String SHARED_CORES = "holdfast.spdk.shared-cores";

  private static final int LEAST_MEMORY = 448;
  private static final int MOST_MEMORY = 1 << 20;
  private static final int LAST_CORE = 1_023;
  private static final String DEFAULT_MEMORY = "512";
  private static final Pattern RANGE = Pattern.compile("(\\d{1,4})(?:-(\\d{1,4}))?");

  /** Copies the cores. */
  public TargetOptions {
    cores = List.copyOf(cores);
  }

  /**
   * Reads the options of the node.
   *
   * @param property value of an option, not null
   * @return empty when no program is named: the node has no target
   * @throws StorageException INVALID with the option, its value and the remedy
   */
  public static Optional<TargetOptions> read(Function<String, Optional<String>> property)
      throws StorageException {
    Optional<String> program = property.apply(PROGRAM).filter(text -> !text.isBlank());
    if (program.isEmpty()) {
      return Optional.empty();
    }
    if (!program.get().startsWith("/")) {
      throw invalid(PROGRAM, program.get(), "give the absolute path of nvmf_tgt");
    }
    return Optional.of(
        new TargetOptions(
            Path.of(program.get()),
            cores(property.apply(CORES).orElse("0")),
            memory(property.apply(MEMORY).orElse(DEFAULT_MEMORY)),
            flag(HUGE_PAGES, property),
            flag(SHARED_CORES, property)));
  }

  private static List<Integer> cores(String text) throws StorageException {
    TreeSet<Integer> cores = new TreeSet<>();
    for (String part : text.split(",", -1)) {
      Matcher range = RANGE.matcher(part.strip());
      if (!range.matches()) {
        throw invalid(CORES, text, "give numbers and ranges of cores, such as 0,2-3");
      }
      int first = Integer.parseInt(range.group(1));
      int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
      if (last < first || last > LAST_CORE) {
        throw invalid(CORES, text, "give ascending ranges of cores from 0 to " + LAST_CORE);
      }
      for (int core = first; core <= last; core++) {
        cores.add(core);
      }
    }
    return List.copyOf(cores);
  }

  private static int memory(String text) throws StorageException {
    String remedy = "give MiB from " + LEAST_MEMORY + " to " + MOST_MEMORY;
    try {
      int mib = Integer.parseInt(text.strip());
      if (mib >= LEAST_MEMORY && mib <= MOST_MEMORY) {
        return mib;
      }
    } catch (NumberFormatException e) {
      throw new StorageException(ErrorCode.INVALID, problem(MEMORY, text, remedy), e);
    }
    throw invalid(MEMORY, text, remedy);
  }

  private static boolean flag(String option, Function<String, Optional<String>> property)
      throws StorageException {
    String text = property.apply(option).orElse("false").strip();
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw invalid(option, text, "give true or false");
    };
  }

  private static StorageException invalid(String option, String value, String remedy) {
    return new StorageException(ErrorCode.INVALID, problem(option, value, remedy));
  }

  private static String problem(String option, String value, String remedy) {
    return option + ": \"" + value + "\" is not valid: " + remedy;
  }

  /** Returns the same options without huge pages. */
  TargetOptions inOrdinaryMemory() {
    return new TargetOptions(program, cores, memoryMib, false, sharedCores);
  }

  /**
   * Returns the command of the process.
   *
   * @param socket where it listens for calls
   */
  List<String> command(Path socket) {
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    if (!hugePages) {
      command.add("--no-huge");
    }
    command.addAll(List.of("-s", String.valueOf(memoryMib), "--no-pci"));
    command.addAll(List.of("-m", cores.toString().replace(" ", "")));
    if (sharedCores) {
      command.add("--disable-cpumask-locks");
    }
    command.addAll(List.of("-r", socket.toString()));
    return List.copyOf(command);
  }
}
