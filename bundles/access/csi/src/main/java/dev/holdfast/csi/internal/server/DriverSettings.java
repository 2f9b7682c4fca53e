package dev.holdfast.csi.internal.server;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Settings of the driver, from the framework's properties.
 *
 * @param socket path of the driver's socket, empty for none
 * @param registration the kubelet's folder of plugins, empty for none
 * @param kubeletSocket path of the socket as the kubelet sees it
 * @param mostVolumes limit of volumes on a node, 0 for no limit
 * @param node the name of this node
 * @param data the state directory of this node
 */
public record DriverSettings(
    Optional<Path> socket,
    Optional<Path> registration,
    String kubeletSocket,
    long mostVolumes,
    String node,
    Path data) {

  /**
   * Reads the properties.
   *
   * @throws StorageException INVALID with the property
   */
  public static DriverSettings read(UnaryOperator<String> properties) throws StorageException {
    Optional<Path> socket = path(properties, "holdfast.csi.socket");
    return new DriverSettings(
        socket,
        path(properties, "holdfast.csi.registration"),
        text(properties, "holdfast.csi.kubelet.socket")
            .orElse(socket.map(Path::toString).orElse("")),
        number(properties, "holdfast.csi.max.volumes"),
        required(properties, "holdfast.node.name"),
        Path.of(required(properties, "holdfast.data")));
  }

  private static Optional<String> text(UnaryOperator<String> properties, String name) {
    return Optional.ofNullable(properties.apply(name)).map(String::strip).filter(t -> !t.isEmpty());
  }

  private static String required(UnaryOperator<String> properties, String name)
      throws StorageException {
    return text(properties, name)
        .orElseThrow(
            () -> new StorageException(ErrorCode.INVALID, "the property " + name + " is not set"));
  }

  private static Optional<Path> path(UnaryOperator<String> properties, String name)
      throws StorageException {
    Optional<Path> path = text(properties, name).map(Path::of);
    if (path.filter(p -> !p.isAbsolute()).isPresent()) {
      throw new StorageException(
          ErrorCode.INVALID, name + " is '" + path.get() + "'; it must be an absolute path");
    }
    return path;
  }

  private static long number(UnaryOperator<String> properties, String name)
      throws StorageException {
    String text = text(properties, name).orElse("0");
    try {
      long number = Long.parseLong(text);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The following message covers all invalid values.
    }
    throw new StorageException(
        ErrorCode.INVALID, name + " is '" + text + "'; it must be a number of at least 0");
  }
}
