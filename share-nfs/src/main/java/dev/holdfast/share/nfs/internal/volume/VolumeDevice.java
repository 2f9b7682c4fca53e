package dev.holdfast.share.nfs.internal.volume;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Filesystem;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostFilesystems;
import dev.holdfast.host.HostInitiators;
import dev.holdfast.host.LuksDevices;
import dev.holdfast.host.LuksKey;
import dev.holdfast.initiator.InitiatorConnection;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/**
 * The device of one volume with its filesystem: connected by an initiator, and opened where it is
 * encrypted. The filesystem is always looked for on the opened device.
 */
public final class VolumeDevice {
  private final HostInitiators initiators;
  private final LuksDevices encrypted;
  private final HostFilesystems filesystems;
  private final String volume;

  /** Works on the device of a volume. */
  public VolumeDevice(Host host, HostInitiators initiators, String volume) {
    this.initiators = initiators;
    this.encrypted = new LuksDevices(host);
    this.filesystems = new HostFilesystems(host);
    this.volume = volume;
  }

  private String mapping() {
    return "holdfast-" + volume;
  }

  /**
   * Connects the volume, or finds it connected.
   *
   * @param endpoint of the attached volume on this node
   * @param bytes size of the volume
   * @return the device, encrypted where the volume is
   * @throws StorageException UNSUPPORTED with what the host lacks; as {@link
   *     HostInitiators#connect}
   */
  public String connect(URI endpoint, long bytes) throws StorageException {
    return initiators.connectGrowable(volume, endpoint, bytes).device();
  }

  /**
   * Opens the encrypted device, or finds it open.
   *
   * @param device as connected
   * @return the device that holds the filesystem
   * @throws StorageException FORBIDDEN with the remedy when the key is wrong; as {@link
   *     LuksDevices#open}
   */
  public String open(String device, LuksKey key) throws StorageException {
    try {
      return encrypted.open(mapping(), device, key, false);
    } catch (StorageException e) {
      String remedy =
          e.code() == ErrorCode.FORBIDDEN
              ? ": put the key with which the volume was encrypted where spec.keyFile or"
                  + " spec.keySecret of the share names it"
              : "";
      throw new StorageException(e.code(), "volume " + volume + ": " + e.getMessage() + remedy, e);
    }
  }

  /**
   * Returns the filesystem of the device; makes one where the device is blank. An existing one wins
   * over the wanted one.
   *
   * @param options of the program that makes it
   * @throws StorageException INVALID when something else is on the device; UNSUPPORTED when the
   *     program that makes it is missing; IO
   */
  public String filesystem(String device, Optional<Filesystem> wanted, List<String> options)
      throws StorageException {
    Optional<String> present = filesystems.filesystemPresent(device, Optional.empty());
    return present.isPresent() ? present.get() : filesystems.filesystemOn(device, wanted, options);
  }

  /** Returns the connection, whether it works or is what is left of one; empty when none is. */
  public Optional<InitiatorConnection> connection() throws StorageException {
    return initiators.find(volume);
  }

  /**
   * Makes the connected device as large as the volume, and the opened one as large as that.
   *
   * @throws StorageException UNSUPPORTED when the device does not grow while it is used; IO
   */
  public void grow(long bytes, boolean isEncrypted) throws StorageException {
    initiators.grow(volume, bytes);
    if (isEncrypted) {
      encrypted.grow(mapping());
    }
  }

  /**
   * Closes the encrypted device and disconnects the volume. Succeeds when it is neither.
   *
   * @param isEncrypted whether a mapping was opened
   * @throws StorageException BUSY when it is in use; IO
   */
  public void close(boolean isEncrypted) throws StorageException {
    if (isEncrypted) {
      encrypted.close(mapping());
    }
    disconnect();
  }

  /**
   * Returns the requests to the connected device, as the kernel counts them; empty when there is no
   * device.
   */
  public Optional<DeviceRequests> requests() throws StorageException {
    Optional<InitiatorConnection> connection = connection();
    return connection.isPresent() ? DeviceRequests.of(connection.get().device()) : Optional.empty();
  }

  /** Fails what waits for the device, if its initiator can do that; data may be lost. */
  public void abort() throws StorageException {
    initiators.abort(volume);
  }

  /**
   * Disconnects the volume, also while it is used: whatever waits for the device then fails
   * instead.
   *
   * @throws StorageException as {@link HostInitiators#disconnect}
   */
  public void disconnect() throws StorageException {
    initiators.disconnect(volume);
  }
}
