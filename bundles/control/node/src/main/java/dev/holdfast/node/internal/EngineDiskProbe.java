package dev.holdfast.node.internal;

import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.ReplicaPlaces;
import dev.holdfast.engine.DiskEngine;
import dev.holdfast.engine.DiskInfo;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.node.internal.DiskProbe.Fault;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.volume.Engine;
import java.nio.file.InvalidPathException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the disks of a node that are not directories, through the engines that declare their kind.
 * Only a new disk is prepared, and only if all such engines find it blank. If the content is
 * missing later, it is another disk, and its preparation would destroy data.
 */
final class EngineDiskProbe {
  private static final Logger LOG = LoggerFactory.getLogger(EngineDiskProbe.class);

  private final InstalledPlugins plugins;
  private final String node;

  EngineDiskProbe(InstalledPlugins plugins, String node) {
    this.plugins = plugins;
    this.node = node;
  }

  /** Result of a check: an engine with its properties of the disk, or a fault. */
  private record Finding(Optional<DiskEngine> engine, Optional<DiskInfo> info, Fault fault) {
    static Finding of(DiskEngine engine, DiskInfo info) {
      return new Finding(Optional.of(engine), Optional.of(info), new Fault("DiskReady", ""));
    }

    static Finding faulty(String reason, String message) {
      return new Finding(Optional.empty(), Optional.empty(), new Fault(reason, message));
    }

    static Finding blank(DiskEngine engine) {
      return new Finding(Optional.of(engine), Optional.empty(), new Fault("DiskBlank", ""));
    }
  }

  /** Returns the present observation of a disk that is not a directory. */
  DiskStatus observe(String id, DiskSpec spec, DiskStatus earlier, Instant now) {
    Finding finding = find(id, spec, earlier);
    DiskStatus known =
        earlier
            .withPath(spec.path())
            .withType(spec.type())
            .withConditions(
                conditions(earlier.conditions(), finding.fault(), finding.info().isPresent(), now));
    if (finding.info().isEmpty()) {
      return known.withStorageAvailable(Quantity.ZERO);
    }
    DiskInfo info = finding.info().get();
    return known
        .withDiskUUID(info.identity())
        .withEngine(finding.engine().orElseThrow().name())
        .withStorageMaximum(new Quantity(info.sizeBytes()))
        .withStorageAvailable(DiskProbe.settled(earlier, info.sizeBytes(), info.freeBytes()))
        .withStoragePromisable(new Quantity(info.promisableBytes()))
        .withShared(info.shared())
        .withDurable(info.durable());
  }

  /** Returns the fault of a registered disk by an inspection of the disk itself. */
  Optional<Fault> fault(String id, DiskSpec spec, DiskStatus registered) {
    Finding finding = find(id, spec, registered);
    return finding.info().isPresent() ? Optional.empty() : Optional.of(finding.fault());
  }

  private Finding find(String id, DiskSpec spec, DiskStatus earlier) {
    DiskLocation disk;
    try {
      disk = ReplicaPlaces.location(node, id, spec);
    } catch (InvalidPathException e) {
      return Finding.faulty("DiskFailed", spec.path() + ": " + e.getReason());
    }
    return earlier.diskUUID().isEmpty() ? first(disk) : again(disk, earlier);
  }

  private List<DiskEngine> engines(DiskKind kind) {
    List<DiskEngine> engines = new ArrayList<>();
    for (String name : plugins.engineNames()) {
      plugins
          .engine(name)
          .filter(DiskEngine.class::isInstance)
          .map(DiskEngine.class::cast)
          .filter(engine -> engine.diskKinds().contains(kind))
          .ifPresent(engines::add);
    }
    return engines;
  }

  /** Checks a disk without a record: an engine uses it, or it is blank. */
  private Finding first(DiskLocation disk) {
    List<DiskEngine> engines = engines(disk.kind());
    if (engines.isEmpty()) {
      return Finding.faulty(
          "NoEngine",
          disk.path()
              + ": no installed engine supports a disk of type "
              + ReplicaPlaces.type(disk.kind())
              + ": install the bundle of one that does");
    }
    List<Finding> findings = engines.stream().map(engine -> inspect(engine, disk)).toList();
    Optional<Finding> used = findings.stream().filter(f -> f.info().isPresent()).findFirst();
    Optional<Finding> faulty = findings.stream().filter(f -> f.engine().isEmpty()).findFirst();
    if (used.isPresent() || faulty.isPresent()) {
      return used.or(() -> faulty).get();
    }
    return engines.size() == 1
        ? prepare(engines.get(0), disk)
        : Finding.faulty(
            "SeveralEngines",
            disk.path()
                + " is blank, and several engines could use it: "
                + String.join(", ", engines.stream().map(DiskEngine::name).toList())
                + ": uninstall all but one until the disk is ready");
  }

  private Finding again(DiskLocation disk, DiskStatus earlier) {
    Optional<DiskEngine> engine =
        engines(disk.kind()).stream().filter(e -> e.name().equals(earlier.engine())).findFirst();
    if (engine.isEmpty()) {
      return Finding.faulty(
          Engine.NOT_INSTALLED_REASON,
          disk.path()
              + ": engine "
              + earlier.engine()
              + ", which uses it, is not installed on node "
              + node
              + ": install its bundle");
    }
    Finding present = inspect(engine.get(), disk);
    String expected = earlier.diskUUID();
    if (present.engine().isEmpty()) {
      return present;
    }
    if (present.info().isEmpty()) {
      return Finding.faulty(
          "DiskChanged",
          disk.path() + " is blank, disk " + expected + " is expected: connect the right one");
    }
    String identity = present.info().get().identity();
    return identity.equals(expected)
        ? present
        : Finding.faulty(
            "DiskChanged",
            disk.path()
                + " is disk "
                + identity
                + ", expected "
                + expected
                + ": connect the right one");
  }

  private static Finding inspect(DiskEngine engine, DiskLocation disk) {
    try {
      return engine
          .inspectDisk(disk)
          .map(info -> Finding.of(engine, info))
          .orElseGet(() -> Finding.blank(engine));
    } catch (StorageException e) {
      return Finding.faulty(reason(e.code()), message(disk, e));
    } catch (RuntimeException e) {
      return failed(engine, disk, e);
    }
  }

  private static Finding prepare(DiskEngine engine, DiskLocation disk) {
    try {
      return Finding.of(engine, engine.prepareDisk(disk));
    } catch (StorageException e) {
      return Finding.faulty(reason(e.code()), message(disk, e));
    } catch (RuntimeException e) {
      return failed(engine, disk, e);
    }
  }

  /**
   * Returns the fault for a defective engine, which must not prevent the report of the node's other
   * disks.
   */
  private static Finding failed(DiskEngine engine, DiskLocation disk, RuntimeException e) {
    LOG.error("engine {}: disk {}: could not be inspected", engine.name(), disk.path(), e);
    return Finding.faulty("DiskFailed", disk.path() + ": engine " + engine.name() + ": " + e);
  }

  private static String reason(ErrorCode code) {
    return switch (code) {
      case INVALID -> "DiskForeign";
      case NOT_FOUND -> "DiskAbsent";
      case BUSY -> "DiskBusy";
      case ALREADY_EXISTS,
          CONFLICT,
          UNSUPPORTED,
          NO_SPACE,
          UNREACHABLE,
          TIMEOUT,
          EXPIRED,
          FORBIDDEN,
          IO,
          INTERNAL ->
          "DiskFailed";
    };
  }

  private static String message(DiskLocation disk, StorageException e) {
    String text = String.valueOf(e.getMessage());
    return text.contains(disk.path().toString()) ? text : disk.path() + ": " + text;
  }

  private static List<Condition> conditions(
      List<Condition> earlier, Fault fault, boolean ready, Instant now) {
    return Condition.with(
        earlier,
        DiskProbe.READY,
        ready ? Condition.Status.TRUE : Condition.Status.FALSE,
        fault.reason(),
        fault.message(),
        now);
  }

  /**
   * Releases a disk that was removed from the node's spec.
   *
   * @return the status to keep until it succeeds; empty after success
   */
  Optional<DiskStatus> release(String id, DiskStatus status, Instant now) {
    if (status.type() == DiskType.DIRECTORY || status.engine().isEmpty()) {
      return Optional.empty();
    }
    DiskSpec spec = DiskSpec.EMPTY.withPath(status.path()).withType(status.type());
    DiskLocation disk = ReplicaPlaces.location(node, id, spec);
    Optional<DiskEngine> engine =
        engines(disk.kind()).stream().filter(e -> e.name().equals(status.engine())).findFirst();
    if (engine.isEmpty()) {
      return Optional.empty(); // an engine that is not installed does not use the disk
    }
    try {
      engine.get().releaseDisk(disk);
      return Optional.empty();
    } catch (StorageException e) {
      Fault fault = new Fault("DiskBusy", message(disk, e));
      return Optional.of(status.withConditions(conditions(status.conditions(), fault, false, now)));
    }
  }
}
