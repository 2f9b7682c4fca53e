package dev.holdfast.initiator;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What is mounted on this host, as the kernel says.
 *
 * @param mounts in the order in which they were made
 */
public record MountTable(List<Mount> mounts) {
  /** Copies the list. */
  public MountTable {
    mounts = List.copyOf(mounts);
  }

  /**
   * One mount.
   *
   * @param deviceNumber major and minor number, for example {@code 7:0}
   * @param directory where it is mounted; a file for FUSE exports of one file
   * @param filesystem its type, for example {@code ext4}
   * @param source the device or whatever the filesystem says
   */
  public record Mount(String deviceNumber, Path directory, String filesystem, String source) {}

  /**
   * Reads the mounts that this process sees.
   *
   * @throws StorageException IO
   */
  public static MountTable read() throws StorageException {
    Path file = Path.of("/proc/self/mountinfo");
    try {
      return parse(Files.readString(file, StandardCharsets.UTF_8).lines());
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /** Reads lines of {@code /proc/self/mountinfo} (proc(5)). */
  static MountTable parse(Stream<String> lines) {
    return new MountTable(lines.map(MountTable::mount).flatMap(Optional::stream).toList());
  }

  private static Optional<Mount> mount(String line) {
    String[] fields = line.split(" ", -1);
    for (int i = 6; i < fields.length - 2; i++) {
      if (fields[i].equals("-")) {
        return Optional.of(
            new Mount(
                fields[2],
                Path.of(unescaped(fields[4])),
                unescaped(fields[i + 1]),
                unescaped(fields[i + 2])));
      }
    }
    return Optional.empty();
  }

  /** Blanks and backslashes stand as three octal digits. */
  private static String unescaped(String field) {
    return java.util.regex.Pattern.compile("\\\\([0-7]{3})")
        .matcher(field)
        .replaceAll(
            match ->
                java.util.regex.Matcher.quoteReplacement(
                    String.valueOf((char) Integer.parseInt(match.group(1), 8))));
  }

  /** Returns what is mounted on top at a path. */
  public Optional<Mount> at(Path path) {
    return mounts.stream()
        .filter(mount -> mount.directory().equals(path))
        .reduce((first, second) -> second);
  }

  /** Returns all mounts of a block device such as {@code /dev/loop0}. */
  public List<Mount> of(String device) {
    Optional<String> number = deviceNumber(device);
    return mounts.stream()
        .filter(
            mount ->
                number.isPresent()
                    ? mount.deviceNumber().equals(number.get())
                    : mount.source().equals(device))
        .toList();
  }

  private static Optional<String> deviceNumber(String device) {
    Path file = Path.of("/sys/class/block", device.replaceFirst("^/dev/", ""), "dev");
    try {
      return Optional.of(Files.readString(file).strip());
    } catch (IOException e) {
      return Optional.empty(); // no such device any more: only its name is left to compare
    }
  }
}
