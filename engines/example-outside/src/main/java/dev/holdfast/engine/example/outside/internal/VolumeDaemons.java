package dev.holdfast.engine.example.outside.internal;

import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.example.outside.internal.daemon.DaemonSettings;
import dev.holdfast.engine.example.outside.internal.daemon.HostsDaemon;
import dev.holdfast.engine.example.outside.internal.daemon.ImageDaemon;
import dev.holdfast.engine.example.outside.internal.daemon.NodeFolder;
import dev.holdfast.engine.example.outside.internal.disk.ReplicaRecord;
import dev.holdfast.engine.example.outside.internal.disk.StoredReplica;
import dev.holdfast.engine.example.outside.internal.nbd.NbdDevice;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.processes.ProcessListener;
import dev.holdfast.processes.ProcessStatus;
import dev.holdfast.processes.ProcessSupervisor;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The processes of one open volume, the lock of its replica among them. Its monitor is held by
 * every step that changes something.
 */
final class VolumeDaemons {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeDaemons.class);
  private static final Duration LEFT = Duration.ofMillis(500);

  private final StoredReplica replica;
  private final NodeFolder place;
  private final DaemonSettings settings;
  private final ProcessSupervisor supervisor;
  private final ImageDaemon image;
  private final EngineListener listener;
  private final Map<String, HostExport> exports = new TreeMap<>();
  private ReplicaRecord claim;
  private volatile boolean superseded;
  private boolean ended;

  /** Prepares them; nothing runs. */
  VolumeDaemons(
      StoredReplica replica,
      NodeFolder place,
      DaemonSettings settings,
      ProcessSupervisor supervisor,
      EngineListener listener)
      throws StorageException {
    this.replica = replica;
    this.place = place;
    this.settings = settings;
    this.supervisor = supervisor;
    this.listener = listener;
    this.image = new ImageDaemon(place, supervisor, settings, replica.image(), replica.lock());
  }

  /** Ends all processes that are recorded in a folder, those of hosts first. */
  static void withdraw(NodeFolder place, ProcessSupervisor supervisor) throws StorageException {
    Set<String> names = new TreeSet<>(supervisor.recorded());
    boolean holdsImage = names.remove(ImageDaemon.NAME);
    for (String name : names) {
      supervisor.remove(name, LEFT);
    }
    if (holdsImage) {
      supervisor.remove(ImageDaemon.NAME, LEFT);
    }
    new ServingRecord(0, 0, Map.of(), List.of()).write(place.serving());
  }

  /**
   * Adopts or starts the process that has the lock.
   *
   * @throws StorageException BUSY, naming the holder, when another process has the lock
   */
  synchronized void begin() throws StorageException {
    if (!image.begin(new ImageListener())) {
      throw replica.locked();
    }
  }

  /** Serves an opening, and records it in the replica. */
  synchronized void serve(ReplicaRecord opening) throws StorageException {
    replica.write(opening);
    claim = opening;
    image.configure(Set.of());
  }

  /** Continues to serve for an opening, with the exports that were left of it. */
  synchronized void continueServing(ReplicaRecord opening, Map<String, ExportLimits> left)
      throws StorageException {
    claim = opening;
    Set<String> keys =
        left.keySet().stream().map(NodeFolder::shortName).collect(Collectors.toSet());
    image.configure(keys);
    for (Map.Entry<String, ExportLimits> export : left.entrySet()) {
      HostExport found = new HostExport(this, export.getKey());
      exports.put(export.getKey(), found);
      found.adopt(export.getValue());
    }
    record();
  }

  /** Connects the device. */
  NbdDevice device(long sizeBytes) throws StorageException {
    try {
      return NbdDevice.open(
          "volume " + place.volume(),
          sizeBytes,
          () -> {
            requireOurs();
            return image.connect();
          },
          this::supersede);
    } catch (IOException e) {
      throw StorageException.io("volume " + place.volume() + ": could not connect its device", e);
    }
  }

  ImageDaemon image() {
    return image;
  }

  StoredReplica replica() {
    return replica;
  }

  ReplicaRecord claim() {
    return claim;
  }

  String volume() {
    return place.volume();
  }

  HostsDaemon hosts(String export) throws StorageException {
    return new HostsDaemon(place, supervisor, settings, export);
  }

  /** Exports by name; to be used with the monitor. */
  Map<String, HostExport> exports() {
    return exports;
  }

  /** Returns the keys of the exports to which hosts are admitted. */
  Set<String> keys() {
    return exports.values().stream()
        .filter(HostExport::isAdmitted)
        .map(HostExport::key)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Fails when the opening has ended. */
  void requireOpen() throws StorageException {
    if (ended || superseded) {
      throw new StorageException(
          ErrorCode.IO, "volume " + place.volume() + " is closed: open it again");
    }
  }

  /** Writes down what is exported, and by which processes. */
  void record() throws StorageException {
    Map<String, ExportLimits> served = new TreeMap<>();
    List<ProcessIdentity> running = new ArrayList<>(image.identity().stream().toList());
    exports.forEach(
        (name, export) -> {
          if (export.isAdmitted()) {
            served.put(name, export.limits());
            export.process().ifPresent(running::add);
          }
        });
    new ServingRecord(claim.generation(), claim.session(), served, running).write(place.serving());
  }

  /** Fails with FORBIDDEN when the replica names another opening. */
  private void requireOurs() throws StorageException {
    ReplicaRecord now = replica.require();
    if (!now.isSameOpening(claim)) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          "volume " + place.volume() + " was taken over by node " + now.node() + ": close it");
    }
  }

  private void supersede(StorageException cause) {
    superseded = true;
    listener.failed(cause);
  }

  /**
   * Runs what follows a restart of a process. The listener is called without holding the monitor.
   */
  void afterRestart(Restart next) {
    try {
      if (tryAfterRestart(next)) {
        listener.exportChanged();
      }
    } catch (StorageException e) {
      if (e.code() == ErrorCode.FORBIDDEN) {
        supersede(e);
        giveUp();
      } else {
        LOG.warn("volume {}: could not serve again: {}", place.volume(), e.getMessage());
      }
    }
  }

  /** Ends the processes of an opening that was superseded, because they may have the lock again. */
  private synchronized void giveUp() {
    try {
      if (!ended) {
        withdraw(place, supervisor);
      }
    } catch (StorageException e) {
      LOG.warn("volume {}: could not end its daemons: {}", place.volume(), e.getMessage());
    }
  }

  private synchronized boolean tryAfterRestart(Restart next) throws StorageException {
    if (ended || superseded || claim == null) {
      return false;
    }
    requireOurs();
    next.run();
    record();
    return true;
  }

  /** A step after the restart of a process. */
  @FunctionalInterface
  interface Restart {
    void run() throws StorageException;
  }

  private final class ImageListener implements ProcessListener {
    @Override
    public void restarted(ProcessStatus status) {
      afterRestart(() -> image.configure(keys()));
    }
  }

  /** Returns whether this opening has the lock and the replica is still its own. */
  boolean holdsReplica() {
    try {
      requireOurs();
    } catch (StorageException e) {
      LOG.info("volume {}: leaving its replica alone: {}", place.volume(), e.getMessage());
      return false;
    }
    return !superseded && image.isAlive();
  }

  /** Ends the opening; the processes stay. */
  synchronized void leave() throws StorageException {
    ended = true;
    supervisor.close();
    image.close();
  }

  /** Ends the opening and its processes, in any state. */
  synchronized void end() throws StorageException {
    ended = true;
    try {
      withdraw(place, supervisor);
    } finally {
      supervisor.close();
      image.close();
    }
  }

  synchronized boolean isEnded() {
    return ended;
  }
}
