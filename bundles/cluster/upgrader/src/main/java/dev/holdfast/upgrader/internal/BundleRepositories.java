package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Folders of this machine that are searched for files by Maven coordinates: in Maven's layout, or
 * all in one folder. Files are never fetched from a network, because a node must run only files
 * that an administrator supplied.
 *
 * @param folders the first folder that has a file is used
 */
record BundleRepositories(List<Path> folders) {
  private static final String PREFIX = "mvn:";

  BundleRepositories {
    folders = List.copyOf(folders);
  }

  /** Returns repositories that search the given folders first. */
  BundleRepositories after(List<Path> others) {
    List<Path> all = new ArrayList<>(others);
    all.addAll(folders);
    return new BundleRepositories(all);
  }

  /** Coordinates with their defaults. */
  private record Coordinates(
      String group, String artifact, String version, String type, String classifier) {
    static Coordinates parse(String text, String separator) throws UpgradeException {
      String[] parts = text.split(separator, -1);
      if (parts.length < 3 || parts.length > 5) {
        throw new UpgradeException(
            text
                + " is neither a file nor coordinates (group:artifact:version[:type[:classifier]])");
      }
      return new Coordinates(
          parts[0],
          parts[1],
          parts[2],
          parts.length > 3 && !parts[3].isEmpty() ? parts[3] : "jar",
          parts.length > 4 ? "-" + parts[4] : "");
    }

    String file() {
      return artifact + "-" + version + classifier + "." + type;
    }

    String path() {
      return group.replace('.', '/') + "/" + artifact + "/" + version + "/" + file();
    }
  }

  /**
   * Returns the file of coordinates {@code group:artifact:version[:type[:classifier]]}.
   *
   * @throws UpgradeException when no folder has the file; the message names the folders
   */
  Path byCoordinates(String coordinates) throws UpgradeException {
    return find(Coordinates.parse(coordinates, ":"), coordinates);
  }

  /**
   * Returns the file of an address {@code mvn:group/artifact/version[/type[/classifier]]} or {@code
   * file:…}.
   *
   * @throws UpgradeException when the address has another form, or the file is absent
   */
  Path byAddress(String address) throws UpgradeException {
    if (address.startsWith(PREFIX)) {
      return find(Coordinates.parse(address.substring(PREFIX.length()), "/"), address);
    }
    if (address.startsWith("file:")) {
      Path file = Path.of(address.replaceFirst("^file:/*", "/"));
      if (Files.isReadable(file)) {
        return file;
      }
      throw new UpgradeException("this node cannot read " + address);
    }
    throw new UpgradeException(
        address
            + ": a node takes bundles from files and Maven coordinates only, not from a network");
  }

  /**
   * Returns the place of an address in Maven's layout; empty for another form, and for an address
   * without a version.
   */
  static Optional<String> pathOf(String address) {
    try {
      return address.startsWith(PREFIX)
          ? Optional.of(Coordinates.parse(address.substring(PREFIX.length()), "/").path())
          : Optional.empty();
    } catch (UpgradeException e) {
      return Optional.empty();
    }
  }

  private Path find(Coordinates coordinates, String asked) throws UpgradeException {
    for (Path folder : folders) {
      for (String name : List.of(coordinates.path(), coordinates.file())) {
        Path file = folder.resolve(name).normalize();
        // Coordinates that point outside the folder are not found.
        if (file.startsWith(folder.normalize()) && Files.isRegularFile(file)) {
          return file;
        }
      }
    }
    throw new UpgradeException(
        "this node does not find " + asked + " in any of " + folders + ": put it there");
  }

  /**
   * Returns the possible folders of a feature file's bundles: its own, and the repository that
   * contains it. Other folders above it are excluded, because they may have other content.
   */
  static List<Path> around(Path file) throws IOException {
    Path beside = file.toRealPath().getParent();
    for (Path above = beside; above != null; above = above.getParent()) {
      if (above.endsWith("system") || above.endsWith("repository")) {
        return List.of(beside, above);
      }
    }
    return List.of(beside);
  }
}
