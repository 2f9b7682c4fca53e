package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.certificates.files.MemberCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.ConnectionRecord;
import dev.holdfast.host.ConnectionRecords;
import dev.holdfast.host.LocalEndpoints;
import dev.holdfast.host.QemuCredential;
import dev.holdfast.initiator.AbortingInitiator;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.initiator.ResizableInitiator;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Connects volumes by processes that reconnect to their server automatically and outlive their
 * starter.
 *
 * <pre>
 *   record without device -- process -- device -- record with device
 *        (claim)                                      (connected)
 * </pre>
 *
 * After a crash at any point the claim remains, and the next call cleans up and starts again. The
 * process uses the UNIX socket of a node on this machine, otherwise the certificate of the node
 * whose data directory contains the connections. The record names the endpoint of the serving node.
 * Thread-safe, also across processes, by the volume's lock.
 */
final class DaemonInitiator implements AbortingInitiator, ResizableInitiator {
  private static final Duration START = Duration.ofSeconds(30);
  private static final Duration STOP = Duration.ofSeconds(15);
  private static final Duration ADMISSION = Duration.ofSeconds(15);

  private final HostDevice way;
  private final HostState state;
  private final ConnectionRecords records;
  private final LocalEndpoints sockets;
  private final Path data;

  DaemonInitiator(HostDevice way, HostState state) {
    this.way = way;
    this.state = state;
    this.records = new ConnectionRecords(state);
    Path connections = state.directory().toAbsolutePath().normalize();
    this.sockets = LocalEndpoints.besides(connections);
    this.data = Optional.ofNullable(connections.getParent()).orElse(connections);
  }

  @Override
  public String name() {
    return way.name();
  }

  @Override
  public int preference() {
    return way.preference();
  }

  @Override
  public boolean understands(URI endpoint) {
    return NbdEndpoint.isUnderstood(endpoint);
  }

  @Override
  public Optional<String> obstacle() {
    return way.obstacle();
  }

  @Override
  public InitiatorConnection connect(String volume, URI endpoint) throws StorageException {
    return state.locked(volume, () -> connectLocked(volume, endpoint));
  }

  private InitiatorConnection connectLocked(String volume, URI endpoint) throws StorageException {
    Optional<ConnectionRecord> earlier = records.read(volume);
    if (earlier.isPresent() && !earlier.get().initiator().equals(name())) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume " + volume + " is connected by " + earlier.get().initiator() + " already");
    }
    if (earlier.isPresent() && isAlive(earlier.get())) {
      return requireSame(earlier.get(), endpoint);
    }
    NbdEndpoint target = target(endpoint);
    Optional<String> obstacle = obstacle();
    if (obstacle.isPresent()) {
      throw new StorageException(ErrorCode.UNSUPPORTED, name() + ": " + obstacle.get());
    }
    takeApart(volume, earlier.map(ConnectionRecord::device).orElse(""));
    ConnectionRecord claim = ConnectionRecord.claim(volume, name(), endpoint);
    records.write(claim);
    try {
      if (target.credential().isPresent()) {
        target.credential().get().awaitAdmission(target.blockNode(), ADMISSION);
      }
      ConnectionRecord connected = start(claim, target);
      records.write(connected);
      return connected.connection(true);
    } catch (StorageException e) {
      undo(volume, e);
      throw e;
    }
  }

  private NbdEndpoint target(URI endpoint) throws StorageException {
    NbdEndpoint named = NbdEndpoint.parse(endpoint);
    Optional<Path> socket = sockets.awaitSocket(endpoint, START);
    if (socket.isPresent()) {
      return named.through(socket.get());
    }
    Optional<MemberCredential> node =
        named.socket().isPresent() ? Optional.empty() : MemberCredential.of(data);
    return node.map(member -> named.securedBy(new QemuCredential(member.folder()))).orElse(named);
  }

  private InitiatorConnection requireSame(ConnectionRecord record, URI endpoint)
      throws StorageException {
    if (!record.endpoint().equals(endpoint.toString())) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + record.volume()
              + " is connected to "
              + record.endpoint()
              + " as "
              + record.device()
              + " already: disconnect it before it can be connected to "
              + endpoint);
    }
    return record.connection(true);
  }

  private ConnectionRecord start(ConnectionRecord claim, NbdEndpoint target)
      throws StorageException {
    Path run = run(claim.volume());
    Optional<String> reserved = way.reserve();
    List<String> command = prepared(run, target, reserved);
    Path log = run.resolve("log");
    Process process = Daemons.start(command, log);
    boolean ready =
        HostCondition.holds(START, () -> !process.isAlive() || way.isReady(run, reserved));
    if (!ready || !process.isAlive()) {
      throw notStarted(claim, log, ready);
    }
    String device = way.finish(run, target, reserved);
    return new ConnectionRecord(
        claim.volume(), claim.initiator(), claim.endpoint(), process.pid(), device);
  }

  private List<String> prepared(Path run, NbdEndpoint target, Optional<String> reserved)
      throws StorageException {
    try {
      Files.createDirectories(run);
    } catch (IOException e) {
      throw StorageException.io(run.toString(), e);
    }
    return way.command(run, target, reserved);
  }

  private StorageException notStarted(ConnectionRecord claim, Path log, boolean ended) {
    String told;
    try {
      told = Files.readString(log).strip().replaceAll("\\s*\\R\\s*", "; ");
    } catch (IOException e) {
      told = "its log cannot be read: " + e.getMessage();
    }
    ErrorCode code =
        !ended
            ? ErrorCode.TIMEOUT
            : told.contains("Failed to connect") ? ErrorCode.UNREACHABLE : ErrorCode.IO;
    return new StorageException(
        code,
        "volume "
            + claim.volume()
            + " cannot be connected to "
            + claim.endpoint()
            + ": "
            + (ended
                ? ""
                : way.programs().get(0) + " is not ready after " + START.toSeconds() + " s; ")
            + told);
  }

  private void undo(String volume, StorageException cause) {
    try {
      takeApart(volume, "");
    } catch (StorageException e) {
      cause.addSuppressed(e);
    }
  }

  @Override
  public URI growable(URI endpoint, long bytes) {
    return way.growsInUse() ? NbdEndpoint.growable(endpoint, bytes) : endpoint;
  }

  @Override
  public void grow(String volume, long bytes) throws StorageException {
    state.locked(
        volume,
        () -> {
          ConnectionRecord record =
              record(volume)
                  .orElseThrow(
                      () ->
                          new StorageException(
                              ErrorCode.NOT_FOUND, "volume " + volume + " is not connected"));
          way.grow(record.device(), bytes);
          return record;
        });
  }

  @Override
  public void disconnect(String volume) throws StorageException {
    state.locked(
        volume,
        () -> {
          Optional<ConnectionRecord> record = record(volume);
          if (record.isPresent()) {
            takeApart(volume, record.get().device());
          }
          return record;
        });
  }

  /**
   * Fails all requests: the kernel does so after the end of the process. The lock is not taken,
   * because a waiting call may hold it.
   */
  @Override
  public void abort(String volume) throws StorageException {
    if (record(volume).isPresent()) {
      for (String program : way.programs()) {
        Daemons.kill(program, run(volume));
      }
    }
  }

  /** Removes a connection, or its remains after a crash. */
  private void takeApart(String volume, String device) throws StorageException {
    Path run = run(volume);
    way.release(run, device);
    for (String program : way.programs()) {
      Daemons.stop(program, run, STOP);
    }
    way.clean(run);
    try {
      Files.deleteIfExists(run.resolve("log"));
      Files.deleteIfExists(run);
    } catch (IOException e) {
      throw StorageException.io(run.toString(), e);
    }
    state.delete(volume);
  }

  @Override
  public Optional<InitiatorConnection> find(String volume) throws StorageException {
    Optional<ConnectionRecord> record = record(volume);
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

  private boolean isAlive(ConnectionRecord record) throws StorageException {
    Path run = run(record.volume());
    for (String program : way.programs()) {
      if (Daemons.find(program, run).isEmpty()) {
        return false;
      }
    }
    return !record.device().isEmpty() && way.serves(run, record.device());
  }

  private Path run(String volume) {
    return state.directory().toAbsolutePath().resolve("run").resolve(volume);
  }

  private Optional<ConnectionRecord> record(String volume) throws StorageException {
    return records.read(volume, name());
  }
}
