package dev.holdfast.csi.internal.node;

import dev.holdfast.csi.internal.server.EncryptionKey;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.LuksDevices;
import dev.holdfast.host.LuksKey;
import io.grpc.StatusException;
import java.util.Optional;

/** The decrypted devices of this host's encrypted volumes. Thread-safe for different volumes. */
final class EncryptedDevices {
  private final LuksDevices luks;

  EncryptedDevices(Host host) {
    this.luks = new LuksDevices(host);
  }

  private static String name(String volume) {
    return "holdfast-" + volume;
  }

  /**
   * Opens a volume's device. Without a key the device must already be open.
   *
   * @return the decrypted device
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

  /** Grows an open device to the size of the volume. */
  void grow(String volume) throws StorageException {
    luks.grow(name(volume));
  }

  /** Closes a volume's device, if it is open. */
  void close(String volume) throws StorageException {
    luks.close(name(volume));
  }
}
