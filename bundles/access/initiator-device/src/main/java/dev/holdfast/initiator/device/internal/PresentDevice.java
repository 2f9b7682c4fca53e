package dev.holdfast.initiator.device.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.ConnectionRecord;
import dev.holdfast.host.ConnectionRecords;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.initiator.ResizableInitiator;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Connects volumes whose engine creates a block device of the host itself, such as a logical
 * volume: {@code device:/dev/VG/LV}. The engine adds and removes the device. A connection is only a
 * record with the path of the endpoint, because the engine may recreate the device with another
 * number. Thread-safe, also across processes, by the volume's lock.
 */
final class PresentDevice implements ResizableInitiator {
  private static final String NAME = "device";
  private static final int PREFERENCE = 20;
  private final HostState state;
  private final Devices devices;
  private final Duration patience;
  private final ConnectionRecords records;

  /**
   * Creates an initiator.
   *
   * @param patience longest wait for an engine that creates or grows a device
   */
  PresentDevice(HostState state, Devices devices, Duration patience) {
    this.state = state;
    this.records = new ConnectionRecords(state);
    this.devices = devices;
    this.patience = patience;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int preference() {
    return PREFERENCE;
  }

  @Override
  public boolean understands(URI endpoint) {
    return NAME.equals(endpoint.getScheme());
  }

  @Override
  public Optional<String> obstacle() {
    return Optional.empty();
  }

  private Path path(URI endpoint) throws StorageException {
    Path path = Path.of(Optional.ofNullable(endpoint.getPath()).orElse("")).normalize();
    if (!understands(endpoint) || !path.startsWith("/dev") || path.getNameCount() < 2) {
      throw new StorageException(
          ErrorCode.INVALID,
          "endpoint: must be a device of this host such as device:/dev/VG/LV: " + endpoint);
    }
    return path;
  }

  @Override
  public InitiatorConnection connect(String volume, URI endpoint) throws StorageException {
    Path path = path(endpoint);
    return state.locked(volume, () -> connectLocked(volume, endpoint, path));
  }

  private InitiatorConnection connectLocked(String volume, URI endpoint, Path path)
      throws StorageException {
    Optional<ConnectionRecord> earlier = records.read(volume);
    if (earlier.isPresent() && !earlier.get().equals(record(volume, endpoint, path))) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume %s is connected to %s already: disconnect it before it can be connected to %s"
              .formatted(volume, earlier.get().endpoint(), endpoint));
    }
    if (!HostCondition.holds(patience, () -> devices.resolve(path).isPresent())) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "volume %s: %s is not a block device of this host; its engine makes it on the nodes that serve"
              .formatted(volume, path));
    }
    if (earlier.isEmpty()) {
      devices.requireUnused(devices.resolve(path).orElseThrow());
      records.write(record(volume, endpoint, path));
    }
    return connection(record(volume, endpoint, path));
  }

  private static ConnectionRecord record(String volume, URI endpoint, Path path) {
    return new ConnectionRecord(volume, NAME, endpoint.toString(), 0, path.toString());
  }

  private InitiatorConnection connection(ConnectionRecord record) throws StorageException {
    Optional<Path> device = devices.resolve(Path.of(record.device()));
    return new InitiatorConnection(
        record.volume(),
        NAME,
        URI.create(record.endpoint()),
        device.map(Path::toString).orElse(record.device()),
        device.isPresent());
  }

  @Override
  public void disconnect(String volume) throws StorageException {
    state.locked(
        volume,
        () -> {
          Optional<ConnectionRecord> record = ours(volume);
          if (record.isPresent()) {
            Optional<Path> device = devices.resolve(Path.of(record.get().device()));
            if (device.isPresent()) {
              devices.requireUnused(device.get());
            }
            state.delete(volume);
          }
          return record;
        });
  }

  @Override
  public Optional<InitiatorConnection> find(String volume) throws StorageException {
    Optional<ConnectionRecord> record = ours(volume);
    return record.isPresent() ? Optional.of(connection(record.get())) : Optional.empty();
  }

  @Override
  public List<InitiatorConnection> connections() throws StorageException {
    List<InitiatorConnection> connections = new ArrayList<>();
    for (String volume : state.volumes()) {
      find(volume).ifPresent(connections::add);
    }
    return connections;
  }

  @Override
  public URI growable(URI endpoint, long bytes) {
    return endpoint; // the engine's device grows with the volume
  }

  @Override
  public void grow(String volume, long bytes) throws StorageException {
    ConnectionRecord record =
        ours(volume)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND, "volume " + volume + " is not connected"));
    Path path = Path.of(record.device());
    boolean grown =
        HostCondition.holds(
            patience, () -> devices.resolve(path).map(devices::bytes).orElse(0L) >= bytes);
    if (!grown) {
      throw new StorageException(ErrorCode.IO, path + " is still smaller than " + bytes + " bytes");
    }
  }

  private Optional<ConnectionRecord> ours(String volume) throws StorageException {
    return records.read(volume, NAME);
  }
}
