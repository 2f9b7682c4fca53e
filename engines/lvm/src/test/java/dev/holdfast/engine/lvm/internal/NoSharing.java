package dev.holdfast.engine.lvm.internal;

import dev.holdfast.host.Host;
import java.nio.file.Path;

/** A node that has neither portal nor channels to other nodes. */
final class NoSharing {
  private NoSharing() {}

  static SharedServices of(Host host, Path folder) {
    return new SharedServices(
        host, new LvmSettings("node-1", folder, folder.resolve("links"), true));
  }
}
