package dev.holdfast.initiator;

import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Mounts of this host, as the kernel lists them. Omits mounts whose directory this process cannot
 * represent in its locale.
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
   * @param directory mount point; a file for FUSE exports of one file
   * @param filesystem type of the filesystem, for example {@code ext4}
   * @param source the device or another source that the filesystem reports
   */
  public record Mount(String deviceNumber, Path directory, String filesystem, String source) {}

  /**
   * Reads the mounts in the namespace of this process.
   *
   * @throws StorageException IO
   */
  public static MountTable read() throws StorageException {
    return read(Path.of("/proc/self/mountinfo"));
  }

  static MountTable read(Path file) throws StorageException {
    try {
      // Names are bytes that any account can choose for a FUSE mount. They may be invalid UTF-8 and
      // contain carriage returns.
      String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
      return parse(text);
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /**
   * Reads the text of {@code /proc/self/mountinfo} (proc(5)), of this host or of another one.
   *
   * @param text of the file, not null
   */
  public static MountTable parse(String text) {
    return parse(Stream.of(text.split("\n", -1)));
  }

  /** Reads lines of {@code /proc/self/mountinfo} (proc(5)). */
  static MountTable parse(Stream<String> lines) {
    return new MountTable(lines.map(MountTable::mount).flatMap(Optional::stream).toList());
  }

  private static Optional<Mount> mount(String line) {
    String[] fields = line.split(" ", -1);
    for (int i = 6; i < fields.length - 2; i++) {
      if (fields[i].equals("-")) {
        String filesystem = unescaped(fields[i + 1]);
        String source = unescaped(fields[i + 2]);
        return path(unescaped(fields[4]))
            .map(directory -> new Mount(fields[2], directory, filesystem, source));
      }
    }
    return Optional.empty();
  }

  private static Optional<Path> path(String name) {
    try {
      return Optional.of(Path.of(name));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  /** The kernel writes blanks and backslashes as three octal digits. */
  private static String unescaped(String field) {
    return java.util.regex.Pattern.compile("\\\\([0-7]{3})")
        .matcher(field)
        .replaceAll(
            match ->
                java.util.regex.Matcher.quoteReplacement(
                    String.valueOf((char) Integer.parseInt(match.group(1), 8))));
  }

  /** Returns the topmost mount at a path. */
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
      return Optional.empty(); // the device no longer exists, so only its name can be compared
    }
  }
}
