package dev.holdfast.mounts;

import dev.holdfast.host.Filesystem;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Request of a user to mount a volume.
 *
 * @param volume name of the volume
 * @param directory mount point; created if missing
 * @param filesystem filesystem to make on an empty volume, and to require otherwise; empty for the
 *     present one, or ext4
 * @param node node for the attachment; empty for any
 * @param persistent whether to restore it after a reboot; an already persistent mount remains
 *     persistent
 */
public record MountRequest(
    String volume,
    Path directory,
    Optional<Filesystem> filesystem,
    Optional<String> node,
    boolean persistent) {

  /** Returns a request for any node and filesystem, not restored after a reboot. */
  public static MountRequest of(String volume, Path directory) {
    return new MountRequest(volume, directory, Optional.empty(), Optional.empty(), false);
  }

  /** Returns this request with a required filesystem. */
  public MountRequest with(Filesystem wanted) {
    return new MountRequest(volume, directory, Optional.of(wanted), node, persistent);
  }

  /** Returns this request for a mount that is restored after a reboot. */
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
