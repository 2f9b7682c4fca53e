package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.ConnectionRecord;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.initiator.InitiatorPath;
import dev.holdfast.initiator.PathInitiator;
import dev.holdfast.initiator.ResizableInitiator;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kernel's NVMe/TCP host with several paths to a volume. The paths are read from sysfs. The
 * record contains one endpoint of the volume, which determines the subsystem of all paths. After a
 * crash at any point the next call completes or removes remaining paths. Thread-safe, also across
 * processes, by the volume's lock.
 */
final class NvmeInitiator implements ResizableInitiator, PathInitiator {
  private static final Logger LOG = LoggerFactory.getLogger(NvmeInitiator.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final NvmeControllers controllers;
  private final KernelInitiator single;
  private final HostState state;

  NvmeInitiator(NvmeControllers controllers, HostState state) {
    this.controllers = controllers;
    this.single = new KernelInitiator(controllers, state);
    this.state = state;
  }

  @Override
  public InitiatorConnection connect(String volume, List<URI> endpoints) throws StorageException {
    List<Target> targets = targets(endpoints);
    return state.locked(volume, () -> connectAll(volume, targets));
  }

  private List<Target> targets(List<URI> endpoints) throws StorageException {
    List<Target> targets = new ArrayList<>();
    for (URI endpoint : endpoints) {
      targets.add(single.target(endpoint));
    }
    if (targets.isEmpty()) {
      throw new StorageException(ErrorCode.INVALID, "endpoints: at least one is needed");
    }
    for (Target target : targets) {
      if (!target.name().equals(targets.get(0).name())) {
        throw new StorageException(
            ErrorCode.INVALID,
            "endpoints: %s and %s are of different subsystems; give the paths of one volume"
                .formatted(targets.get(0).endpoint(), target.endpoint()));
      }
    }
    return targets;
  }

  private InitiatorConnection connectAll(String volume, List<Target> targets)
      throws StorageException {
    Optional<ConnectionRecord> connected = single.connected(volume);
    ConnectionRecord record =
        connected.isPresent() ? connected.get() : single.recorded(connectAny(volume, targets));
    requireSame(record, targets.get(0));
    for (Target target : targets) {
      addMissing(target);
    }
    Target kept = firstLive(targets).orElse(targets.get(0));
    if (removeOthers(targets)) {
      record = single.moved(record, kept.endpoint());
    }
    return record.connection(true);
  }

  /** Connects by the first endpoint that answers. */
  private InitiatorConnection connectAny(String volume, List<Target> targets)
      throws StorageException {
    StorageException first = null;
    for (Target target : targets) {
      try {
        return single.connectLocked(volume, target.endpoint());
      } catch (StorageException e) {
        if (e.code() != ErrorCode.UNREACHABLE && e.code() != ErrorCode.TIMEOUT) {
          throw e;
        }
        first = first == null ? e : first;
      }
    }
    throw first;
  }

  private void requireSame(ConnectionRecord record, Target target) throws StorageException {
    if (!single.target(URI.create(record.endpoint())).name().equals(target.name())) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume %s is connected to %s as %s: disconnect it before it can be connected to %s"
              .formatted(record.volume(), record.endpoint(), record.device(), target.endpoint()));
    }
  }

  // Another path serves the device, so a failure to add one is only logged.
  private void addMissing(Target target) throws StorageException {
    if (path(target).isPresent()) {
      return;
    }
    try {
      target.requireListening();
      controllers.open(target, single.credential(target));
      awaitDevice(target);
    } catch (StorageException e) {
      LOG.warn("path {} cannot be added now: {}", target.endpoint(), e.getMessage());
    }
  }

  /**
   * Waits for the device, because the kernel finds the namespaces of a new path after it has
   * connected.
   */
  private void awaitDevice(Target target) throws StorageException {
    if (!HostCondition.holds(PATIENCE, () -> leadsToDevice(target))) {
      LOG.warn("path {} is connected, but its namespace has not appeared", target.endpoint());
    }
  }

  private boolean leadsToDevice(Target target) throws StorageException {
    Optional<NvmePath> path = path(target);
    return path.isPresent() && path.get().leadsToDevice();
  }

  private Optional<NvmePath> path(Target target) throws StorageException {
    for (NvmePath path : controllers.paths(target)) {
      if (path.leadsTo(target)) {
        return Optional.of(path);
      }
    }
    return Optional.empty();
  }

  private Optional<Target> firstLive(List<Target> targets) throws StorageException {
    for (Target target : targets) {
      if (path(target).filter(NvmePath::live).isPresent()) {
        return Optional.of(target);
      }
    }
    return Optional.empty();
  }

  /**
   * Removes the paths that lead to none of the targets, except the last working one.
   *
   * @return whether only the given paths remain
   */
  private boolean removeOthers(List<Target> targets) throws StorageException {
    List<NvmePath> others = new ArrayList<>();
    for (NvmePath path : controllers.paths(targets.get(0))) {
      if (!leadsToAny(path, targets)) {
        others.add(path);
      }
    }
    if (others.isEmpty()) {
      return true;
    }
    if (!HostCondition.holds(PATIENCE, () -> firstLive(targets).isPresent())) {
      LOG.warn("{} old paths stay, because no new one works", others.size());
      return false;
    }
    for (NvmePath path : others) {
      controllers.remove(path);
    }
    return true;
  }

  private static boolean leadsToAny(NvmePath path, List<Target> targets) throws StorageException {
    for (Target target : targets) {
      if (path.leadsTo(target)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public List<InitiatorPath> paths(String volume) throws StorageException {
    Optional<ConnectionRecord> record = single.connected(volume);
    List<InitiatorPath> paths = new ArrayList<>();
    if (record.isPresent()) {
      for (NvmePath path : controllers.paths(single.target(URI.create(record.get().endpoint())))) {
        paths.add(path.described());
      }
    }
    paths.sort(Comparator.comparing(InitiatorPath::address));
    return paths;
  }

  @Override
  public String name() {
    return single.name();
  }

  @Override
  public int preference() {
    return single.preference();
  }

  @Override
  public boolean understands(URI endpoint) {
    return single.understands(endpoint);
  }

  @Override
  public Optional<String> obstacle() {
    return single.obstacle();
  }

  @Override
  public InitiatorConnection connect(String volume, URI endpoint) throws StorageException {
    return single.connect(volume, endpoint);
  }

  @Override
  public void disconnect(String volume) throws StorageException {
    single.disconnect(volume);
  }

  @Override
  public Optional<InitiatorConnection> find(String volume) throws StorageException {
    return single.find(volume);
  }

  @Override
  public List<InitiatorConnection> connections() throws StorageException {
    return single.connections();
  }

  @Override
  public URI growable(URI endpoint, long bytes) {
    return single.growable(endpoint, bytes);
  }

  @Override
  public void grow(String volume, long bytes) throws StorageException {
    single.grow(volume, bytes);
  }
}
