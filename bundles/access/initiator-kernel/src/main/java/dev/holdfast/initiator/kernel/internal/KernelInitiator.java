package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.ConnectionRecord;
import dev.holdfast.host.ConnectionRecords;
import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.initiator.ResizableInitiator;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Connects volumes by sessions of the kernel, which outlive every program.
 *
 * <pre>
 *   record without device -- session -- device -- record with device
 *        (claim)                                    (connected)
 * </pre>
 *
 * After a crash at any point the claim remains, and the next call cleans up. A session without a
 * claim belongs to another program and is ignored. Thread-safe, also across processes, by the
 * volume's lock.
 */
final class KernelInitiator implements ResizableInitiator {
  private static final int PREFERENCE = 20;
  private static final long SECTOR = 512;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int ATTEMPTS = 8;
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Sessions sessions;
  private final HostState state;
  private final ConnectionRecords records;
  private final VolumeCredentials credentials;

  /** Uses the secrets of the node whose data directory contains the records. */
  KernelInitiator(Sessions sessions, HostState state) {
    this(sessions, state, VolumeCredentials.of(above(state.directory())));
  }

  KernelInitiator(Sessions sessions, HostState state, VolumeCredentials credentials) {
    this.sessions = sessions;
    this.state = state;
    this.records = new ConnectionRecords(state);
    this.credentials = credentials;
  }

  private static Path above(Path directory) {
    return Optional.ofNullable(directory.getParent()).orElse(directory);
  }

  @Override
  public String name() {
    return sessions.name();
  }

  @Override
  public int preference() {
    return PREFERENCE;
  }

  @Override
  public boolean understands(URI endpoint) {
    return sessions.scheme().equals(endpoint.getScheme());
  }

  @Override
  public Optional<String> obstacle() {
    return sessions.obstacle();
  }

  @Override
  public InitiatorConnection connect(String volume, URI endpoint) throws StorageException {
    return state.locked(volume, () -> connectLocked(volume, endpoint));
  }

  /** Works like {@link #connect}; the caller holds the lock of the volume. */
  InitiatorConnection connectLocked(String volume, URI endpoint) throws StorageException {
    Optional<ConnectionRecord> earlier = records.read(volume);
    if (earlier.isPresent() && !earlier.get().initiator().equals(name())) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume " + volume + " is connected by " + earlier.get().initiator() + " already");
    }
    if (earlier.isPresent() && isAlive(earlier.get())) {
      return requireSame(earlier.get(), endpoint);
    }
    Target target = target(endpoint);
    Optional<String> obstacle = obstacle();
    if (obstacle.isPresent()) {
      throw new StorageException(ErrorCode.UNSUPPORTED, name() + ": " + obstacle.get());
    }
    if (earlier.isPresent()) {
      takeApart(earlier.get());
    }
    target.requireListening();
    if (sessions.isOpen(target)) {
      throw new StorageException(
          ErrorCode.BUSY,
          "this host has a session with " + target.name() + " that Holdfast did not make: end it");
    }
    return claimAndOpen(volume, target);
  }

  /** Returns the record of a volume with a working connection. */
  Optional<ConnectionRecord> connected(String volume) throws StorageException {
    Optional<ConnectionRecord> record = ours(volume);
    return record.isPresent() && isAlive(record.get()) ? record : Optional.empty();
  }

  /** Returns the record of a new connection. */
  ConnectionRecord recorded(InitiatorConnection connection) {
    return new ConnectionRecord(
        connection.volume(), name(), connection.endpoint().toString(), 0, connection.device());
  }

  /** Records that the same device is now connected to another endpoint of the volume. */
  ConnectionRecord moved(ConnectionRecord record, URI endpoint) throws StorageException {
    ConnectionRecord next =
        new ConnectionRecord(record.volume(), name(), endpoint.toString(), 0, record.device());
    if (!next.equals(record)) {
      records.write(next);
    }
    return next;
  }

  private InitiatorConnection claimAndOpen(String volume, Target target) throws StorageException {
    ConnectionRecord claim = ConnectionRecord.claim(volume, name(), target.endpoint());
    records.write(claim);
    try {
      open(target, credentials.create(target, sessions.provableName(target)));
      if (!HostCondition.holds(PATIENCE, () -> readyDevice(target).isPresent())) {
        throw new StorageException(
            ErrorCode.TIMEOUT,
            "no device of volume " + volume + " came within " + PATIENCE.toSeconds() + " s");
      }
      String device = readyDevice(target).orElseThrow();
      ConnectionRecord connected =
          new ConnectionRecord(volume, name(), claim.endpoint(), 0, device);
      records.write(connected);
      return connected.connection(true);
    } catch (StorageException e) {
      undo(claim, e);
      throw e;
    }
  }

  /**
   * Opens a session. The serving node sees a new ticket with a delay and rejects the secret until
   * then, so the session is retried.
   */
  private void open(Target target, Optional<InitiatorCredential> credential)
      throws StorageException {
    for (int attempt = 1; ; attempt++) {
      try {
        sessions.open(target, credential);
        return;
      } catch (StorageException e) {
        boolean refused = e.code() == ErrorCode.FORBIDDEN || e.code() == ErrorCode.IO;
        if (!refused || credential.isEmpty() || attempt == ATTEMPTS) {
          throw e;
        }
      }
      sessions.close(target);
      boolean unused = HostCondition.holds(PAUSE, () -> false);
    }
  }

  /** Returns the secrets of a connected volume, if this node has created some. */
  Optional<InitiatorCredential> credential(Target target) throws StorageException {
    return credentials.read(target);
  }

  /** Returns the device once it has a size and a node. */
  private Optional<String> readyDevice(Target target) throws StorageException {
    return sessions
        .device(target)
        .filter(device -> bytes(device) > 0 && Files.exists(Path.of(device)));
  }

  private static long bytes(String device) {
    return BlockDevices.attribute(BlockDevices.name(device), "size")
        .map(sectors -> Long.parseLong(sectors) * SECTOR)
        .orElse(0L);
  }

  private static InitiatorConnection requireSame(ConnectionRecord record, URI endpoint)
      throws StorageException {
    if (!record.endpoint().equals(endpoint.toString())) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume %s is connected to %s as %s already: disconnect it before it can be connected to %s"
              .formatted(record.volume(), record.endpoint(), record.device(), endpoint));
    }
    return record.connection(true);
  }

  private void undo(ConnectionRecord claim, StorageException cause) {
    try {
      takeApart(claim);
    } catch (StorageException e) {
      cause.addSuppressed(e);
    }
  }

  @Override
  public void disconnect(String volume) throws StorageException {
    state.locked(
        volume,
        () -> {
          Optional<ConnectionRecord> record = ours(volume);
          if (record.isPresent()) {
            takeApart(record.get());
          }
          return record;
        });
  }

  /**
   * Removes remains of a crash: claims without a recorded device. A connection with a device
   * remains, working or not, because a program may use it.
   *
   * @return the volumes whose remains could not be removed, with the reason
   */
  Map<String, String> sweep() throws StorageException {
    Map<String, String> left = new TreeMap<>();
    for (String volume : state.volumes()) {
      try {
        sweep(volume);
      } catch (StorageException e) {
        left.put(volume, e.getMessage());
      }
    }
    return left;
  }

  private void sweep(String volume) throws StorageException {
    state.locked(
        volume,
        () -> {
          Optional<ConnectionRecord> claim =
              ours(volume).filter(record -> record.device().isEmpty());
          if (claim.isPresent()) {
            takeApart(claim.get());
          }
          return claim;
        });
  }

  /** Removes a connection, or its remains after a crash. */
  private void takeApart(ConnectionRecord record) throws StorageException {
    Target target = target(URI.create(record.endpoint()));
    Optional<String> device = sessions.device(target);
    if (device.isPresent()) {
      BlockDevices.requireUnused(device.get());
    }
    sessions.close(target);
    if (!HostCondition.holds(PATIENCE, () -> !sessions.isOpen(target))) {
      throw new StorageException(
          ErrorCode.BUSY, "the session with " + target.name() + " does not end");
    }
    credentials.delete(target);
    state.delete(record.volume());
  }

  @Override
  public Optional<InitiatorConnection> find(String volume) throws StorageException {
    Optional<ConnectionRecord> record = ours(volume);
    return record.isPresent()
        ? Optional.of(record.get().connection(isAlive(record.get())))
        : Optional.empty();
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
    return endpoint; // all devices of the kernel initiators can grow
  }

  @Override
  public void grow(String volume, long bytes) throws StorageException {
    state.locked(
        volume,
        () -> {
          ConnectionRecord record =
              ours(volume)
                  .orElseThrow(
                      () ->
                          new StorageException(
                              ErrorCode.NOT_FOUND, "volume " + volume + " is not connected"));
          sessions.rescan(target(URI.create(record.endpoint())));
          if (!HostCondition.holds(PATIENCE, () -> bytes(record.device()) >= bytes)) {
            throw new StorageException(
                ErrorCode.IO, record.device() + " is still smaller than " + bytes + " bytes");
          }
          return record;
        });
  }

  /** Parses an endpoint of this initiator's scheme. */
  Target target(URI endpoint) throws StorageException {
    if (!understands(endpoint)) {
      throw new StorageException(
          ErrorCode.INVALID, endpoint + " is not an endpoint of scheme " + sessions.scheme());
    }
    return sessions.target(endpoint);
  }

  private boolean isAlive(ConnectionRecord record) throws StorageException {
    return !record.device().isEmpty()
        && sessions
            .device(target(URI.create(record.endpoint())))
            .filter(record.device()::equals)
            .isPresent();
  }

  private Optional<ConnectionRecord> ours(String volume) throws StorageException {
    return records.read(volume, name());
  }
}
