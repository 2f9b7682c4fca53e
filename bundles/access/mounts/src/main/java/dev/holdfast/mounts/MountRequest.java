package dev.holdfast.mounts;

import dev.holdfast.host.Filesystem;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Mount that a user requests.
 *
 * @param volume its name
 * @param directory where; made when it is missing
 * @param filesystem to make when the volume is empty, and to insist on otherwise; empty takes what
 *     is there, or ext4
 * @param node to attach the volume to; empty for any
 * @param persistent whether it is to be mounted again after a reboot; a mount that is persistent
 *     already stays so
 */
public record MountRequest(
    String volume,
    Path directory,
    Optional<Filesystem> filesystem,
    Optional<String> node,
    boolean persistent) {

  /** Any node, any filesystem, until the next reboot. */
  public static MountRequest of(String volume, Path directory) {
    return new MountRequest(volume, directory, Optional.empty(), Optional.empty(), false);
  }

  /** Returns this request with a filesystem that is insisted on. */
  public MountRequest with(Filesystem wanted) {
    return new MountRequest(volume, directory, Optional.of(wanted), node, persistent);
  }

  /** Returns this request for a mount that comes back after a reboot. */
  public MountRequest persistently() {
    return new MountRequest(volume, directory, filesystem, node, true);
  }

  /** Returns the request that repeats a recorded mount. */
  static MountRequest again(MountRecord mounted) {
    return new MountRequest(
        mounted.volume(),
        Path.of(mounted.directory()),
        Filesystem.named(mounted.filesystem()),
        Optional.of(mounted.node()).filter(node -> !node.isEmpty()),
        mounted.persistent());
  }
}
