package dev.holdfast.engine.lvm.blobs;

import dev.holdfast.engine.lvm.blobs.internal.holds.HoldGuard;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.DeviceMapper;
import dev.holdfast.host.Host;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.host.ProgramResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Devices by which programs of a host use attached blobs. The device mapper is what remembers them,
 * so they outlive this process and end with the host. Calls are idempotent and block. Thread-safe
 * for different blobs.
 */
public final class HostDevices {
  private static final Path MAPPED = Path.of("/dev/mapper");

  private final Host host;
  private final BlobLayers layers;
  private final Map<Blob, HoldGuard> guards = new ConcurrentHashMap<>();

  /** Works on the devices of a host. */
  public HostDevices(Host host) {
    this.host = host;
    this.layers = new BlobLayers(host);
  }

  /**
   * Returns the path that {@link #show} gives the device of a blob, whether it is there or not.
   *
   * @param blob its name
   */
  public Path path(Blob blob) {
    return MAPPED.resolve(BlobLayers.upper(blob));
  }

  /**
   * Returns the device of an attached blob that serves requests, without the store and without LVM;
   * empty when {@link BlobManager#attach} has to make it.
   *
   * @param blob its name
   * @throws StorageException UNSUPPORTED; IO
   */
  public Optional<Path> attached(Blob blob) throws StorageException {
    return layers.attached(blob);
  }

  /**
   * Makes a device of an attached blob, or finds it; ends a hold.
   *
   * @param blob its name
   * @return the path, which is the same each time
   * @throws StorageException NOT_FOUND when the blob is not attached; INVALID when another program
   *     has a device of this name; UNSUPPORTED; IO
   */
  public Path show(Blob blob) throws StorageException {
    return layers.show(blob);
  }

  /**
   * Returns whether the blob has a device for hosts.
   *
   * @param blob its name
   * @throws StorageException UNSUPPORTED; IO
   */
  public boolean isShown(Blob blob) throws StorageException {
    return layers.isShown(blob);
  }

  /**
   * Lets requests of hosts wait, after those in flight have ended. The device of {@link
   * BlobManager#attach} is not affected. The hold ends with {@link #release}, and when this process
   * dies: another process sees that and lets the requests pass.
   *
   * @param blob its name
   * @param drain the longest time to wait for requests in flight, positive
   * @throws StorageException TIMEOUT when they did not end; NOT_FOUND; UNSUPPORTED; IO. Then
   *     requests pass as before
   */
  public void hold(Blob blob, Duration drain) throws StorageException {
    String name = BlobLayers.upper(blob);
    String dmsetup = host.require("dmsetup", "dmsetup");
    guards.put(blob, HoldGuard.start(host, dmsetup, name));
    try {
      ProgramResult result =
          host.run(ProgramCall.of(drain, List.of(dmsetup, "suspend", "--nolockfs", name)));
      if (result.exitCode() != 0) {
        boolean present = new DeviceMapper(host).find(name).isPresent();
        throw new StorageException(
            present ? ErrorCode.IO : ErrorCode.NOT_FOUND,
            "device " + name + ": could not hold its requests: " + result.lastLines());
      }
    } catch (StorageException e) {
      try {
        release(blob);
      } catch (StorageException failure) {
        e.addSuppressed(failure);
      }
      throw e;
    }
  }

  /**
   * Lets requests of hosts pass. Succeeds when the blob has no device for hosts.
   *
   * @param blob its name
   * @throws StorageException IO
   */
  public void release(Blob blob) throws StorageException {
    endGuard(blob);
    layers.release(blob);
  }

  private void endGuard(Blob blob) {
    HoldGuard guard = guards.remove(blob);
    if (guard != null) {
      guard.release();
    }
  }

  /** Ends all holds, as the end of this process does. */
  public void abandon() {
    Set.copyOf(guards.keySet()).forEach(this::endGuard);
  }

  /**
   * Takes the device away: when this returns, no request of a host reaches the blob. Those that
   * wait, and those of programs that still have the device open, fail. Ends a hold. Succeeds when
   * the blob has no device for hosts.
   *
   * @param blob its name
   * @throws StorageException IO
   */
  public void hide(Blob blob) throws StorageException {
    layers.hide(blob);
    endGuard(blob);
  }
}
