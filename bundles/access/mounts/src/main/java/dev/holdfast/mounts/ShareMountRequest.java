package dev.holdfast.mounts;

import java.nio.file.Path;

/**
 * Mount of a share that a user requests.
 *
 * @param volume the volume, which is also the name of the share
 * @param directory where; made when it is missing
 * @param options of nfs(5), separated by commas; empty for those of the share
 * @param persistent whether it is to be mounted again after a reboot; a mount that is persistent
 *     already stays so
 */
public record ShareMountRequest(String volume, Path directory, String options, boolean persistent) {

  /** Returns the request that repeats a recorded mount. */
  static ShareMountRequest again(MountRecord mounted) {
    return new ShareMountRequest(
        mounted.volume(), Path.of(mounted.directory()), mounted.options(), mounted.persistent());
  }
}
