package dev.holdfast.host;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The filesystems that this host can create, with options for thin volumes. */
public enum Filesystem {
  /**
   * The kernel clears inode tables and journal later in the background by write-zeroes requests,
   * which stay holes on a thin volume.
   */
  EXT4(
      "e2fsprogs",
      "-q -E discard,lazy_itable_init=1,lazy_journal_init=1",
      "discard,errors=remount-ro"),
  /** Discards the whole device first, by default. */
  XFS("xfsprogs", "-q", "discard");

  private final String debianPackage;
  private final String makeOptions;
  private final String mountOptions;

  Filesystem(String debianPackage, String makeOptions, String mountOptions) {
    this.debianPackage = debianPackage;
    this.makeOptions = makeOptions;
    this.mountOptions = mountOptions;
  }

  /** Returns the filesystem of a name such as {@code ext4}, empty when it is unknown. */
  public static Optional<Filesystem> named(String name) {
    return Arrays.stream(values()).filter(fs -> fs.toString().equals(name)).findFirst();
  }

  /** Returns the names of all, for messages. */
  public static String names() {
    return Arrays.stream(values()).map(Filesystem::toString).collect(Collectors.joining(", "));
  }

  /** Returns the name that the kernel and {@code blkid} use. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  String debianPackage() {
    return debianPackage;
  }

  String makeProgram() {
    return "mkfs." + this;
  }

  List<String> makeCommand(String program, String device, List<String> options) {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(List.of(makeOptions.split(" ")));
    command.addAll(options);
    command.add(device);
    return command;
  }

  /** Freed space is discarded immediately, so that thin volumes stay as small as their content. */
  String mountOptions() {
    return mountOptions;
  }
}
