package dev.holdfast.upgrader.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Folders of this machine in which files are found by Maven coordinates: in Maven's layout, or all
 * in one folder. Nothing is ever fetched from a network: a node runs only what an administrator
 * gave it.
 *
 * @param folders the first that has a file counts
 */
record BundleRepositories(List<Path> folders) {
  private static final String PREFIX = "mvn:";

  BundleRepositories {
    folders = List.copyOf(folders);
  }

  /** Looks there first. */
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
   * @throws UpgradeException when no folder has it; the message names them
   */
  Path byCoordinates(String coordinates) throws UpgradeException {
    return find(Coordinates.parse(coordinates, ":"), coordinates);
  }

  /**
   * Returns the file of an address {@code mvn:group/artifact/version[/type[/classifier]]} or {@code
   * file:…}.
   *
   * @throws UpgradeException when it is another kind of address, or is not there
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
   * Returns where Maven's layout has the file of an address; empty for another kind of address, and
   * for one without a version.
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
        // Coordinates that climb find nothing.
        if (file.startsWith(folder.normalize()) && Files.isRegularFile(file)) {
          return file;
        }
      }
    }
    throw new UpgradeException(
        "this node does not find " + asked + " in any of " + folders + ": put it there");
  }

  /**
   * Returns the possible places of a feature file's bundles: beside it, and the repository in which
   * it lies. No other folder above it, because those may have other content.
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
