package dev.holdfast.csi.internal.node;

import dev.holdfast.csi.internal.server.EncryptionKey;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.LuksDevices;
import dev.holdfast.host.LuksKey;
import io.grpc.StatusException;
import java.util.Optional;

/** The devices in clear of this host's encrypted volumes. Thread-safe for different volumes. */
final class EncryptedDevices {
  private final LuksDevices luks;

  EncryptedDevices(Host host) {
    this.luks = new LuksDevices(host);
  }

  private static String name(String volume) {
    return "holdfast-" + volume;
  }

  /**
   * Opens a volume's device, if it is not open; without a key that is all that can be done.
   *
   * @return the device in clear
   */
  String open(StagedVolume plan, String device, Optional<LuksKey> key)
      throws StorageException, StatusException {
    String name = name(plan.volume());
    if (key.isPresent()) {
      return luks.open(name, device, key.get(), plan.access().readsOnly());
    }
    if (!luks.isOpen(name, device)) {
      throw EncryptionKey.missing(plan.volume());
    }
    return luks.path(name);
  }

  /** Makes an open device as large as the volume's. */
  void grow(String volume) throws StorageException {
    luks.grow(name(volume));
  }

  /** Closes a volume's device, if it is open. */
  void close(String volume) throws StorageException {
    luks.close(name(volume));
  }
}
