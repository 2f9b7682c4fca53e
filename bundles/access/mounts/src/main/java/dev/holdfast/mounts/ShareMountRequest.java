package dev.holdfast.mounts;

import java.nio.file.Path;

/**
 * Request of a user to mount a share.
 *
 * @param volume the volume, which is also the name of the share
 * @param directory mount point; created if missing
 * @param options of nfs(5), separated by commas; empty for those of the share
 * @param persistent whether to restore it after a reboot; an already persistent mount remains
 *     persistent
 */
public record ShareMountRequest(String volume, Path directory, String options, boolean persistent) {

  /** Returns the request that repeats a recorded mount. */
  static ShareMountRequest again(MountRecord mounted) {
    return new ShareMountRequest(
        mounted.volume(), Path.of(mounted.directory()), mounted.options(), mounted.persistent());
  }
}
