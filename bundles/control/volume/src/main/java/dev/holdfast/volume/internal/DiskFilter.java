package dev.holdfast.volume.internal;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.EngineDeclaration;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.List;
import java.util.Optional;

/** Selects the disks that may hold a replica of a volume, independent of other replicas. */
final class DiskFilter {
  private static final BigInteger HUNDRED = BigInteger.valueOf(100);
  private static final BigDecimal KIBI = BigDecimal.valueOf(1024);
  private static final List<String> UNITS = List.of("", "Ki", "Mi", "Gi", "Ti");

  private final SchedulerSettings settings;
  private final Volume volume;
  private final EngineDeclaration engine;

  DiskFilter(SchedulerSettings settings, Volume volume, EngineDeclaration engine) {
    this.settings = settings;
    this.volume = volume;
    this.engine = engine;
  }

  /** Returns why a disk must not be used, for users; empty if it may. */
  Optional<String> fault(Node node, String diskID, DiskSpec disk) {
    return nodeFault(node).or(() -> diskFault(node, diskID, disk));
  }

  private Optional<String> nodeFault(Node node) {
    List<String> selector = volume.spec().nodeSelector();
    List<String> engines = node.status().engines();
    if (!NodeInventory.isReady(node)) {
      return Optional.of("its node is not ready");
    }
    if (node.isBeingDeleted() || !node.spec().allowScheduling()) {
      return Optional.of("its node does not allow scheduling");
    }
    if (node.isCordoned()) {
      return Optional.of("its node is cordoned in Kubernetes");
    }
    if (node.spec().evictionRequested()) {
      return Optional.of("its node is being evicted");
    }
    if (!node.spec().tags().containsAll(selector)) {
      return Optional.of("its node lacks a tag of " + selector);
    }
    if (selector.isEmpty() && !node.spec().tags().isEmpty() && !settings.untaggedOnTaggedNodes()) {
      return Optional.of("its node has tags, and the volume requests none");
    }
    if (!engines.isEmpty() && !engines.contains(volume.spec().dataEngine())) {
      return Optional.of("engine " + volume.spec().dataEngine() + " is not installed on its node");
    }
    return Optional.empty();
  }

  private Optional<String> diskFault(Node node, String id, DiskSpec disk) {
    List<String> selector = volume.spec().diskSelector();
    DiskStatus status = node.status().diskStatus().getOrDefault(id, DiskStatus.EMPTY);
    if (!engine.canUse(node, id)) {
      return Optional.of(
          "engine "
              + volume.spec().dataEngine()
              + " does not support disks of its "
              + "type"
              + kind(disk, status));
    }
    if (!Condition.isTrue(status.conditions(), Condition.READY)) {
      return Optional.of("it is not ready");
    }
    if (!disk.allowScheduling()) {
      return Optional.of("it does not allow scheduling");
    }
    if (disk.evictionRequested()) {
      return Optional.of("it is being evicted");
    }
    if (!disk.tags().containsAll(selector)) {
      return Optional.of("it lacks a tag of " + selector);
    }
    if (selector.isEmpty() && !disk.tags().isEmpty() && !settings.untaggedOnTaggedDisks()) {
      return Optional.of("it has tags, and the volume requests none");
    }
    return disk.type() == DiskType.DIRECTORY ? spaceFault(status) : Optional.empty();
  }

  private static String kind(DiskSpec disk, DiskStatus status) {
    return status.engine().isEmpty()
        ? ", a " + disk.type()
        : ", a " + disk.type() + " that engine " + status.engine() + " uses";
  }

  private Optional<String> spaceFault(DiskStatus status) {
    BigInteger least =
        bytes(status.storageMaximum())
            .multiply(BigInteger.valueOf(settings.minimalAvailablePercentage()))
            .divide(HUNDRED);
    BigInteger free = bytes(status.storageAvailable());
    BigInteger taken = bytes(volume.status().actualSize());
    if (status.storageMaximum().bytes() > 0 && free.subtract(taken).compareTo(least) > 0) {
      return Optional.empty();
    }
    return Optional.of(
        "only "
            + shown(free)
            + " are free"
            + (taken.signum() > 0 ? " for a copy of " + shown(taken) : "")
            + ", and "
            + settings.minimalAvailablePercentage()
            + " % ("
            + shown(least)
            + ") must stay free (storage-minimal-available-percentage)");
  }

  /** Returns the promisable space of a disk: its engine's value, or the setting for directories. */
  BigInteger promisable(DiskSpec disk, DiskStatus status) {
    if (disk.type() != DiskType.DIRECTORY) {
      return bytes(status.storagePromisable())
          .subtract(bytes(disk.storageReserved()))
          .max(BigInteger.ZERO);
    }
    return bytes(status.storageMaximum())
        .subtract(bytes(disk.storageReserved()))
        .max(BigInteger.ZERO)
        .multiply(BigInteger.valueOf(settings.overProvisioningPercentage()))
        .divide(HUNDRED);
  }

  static BigInteger bytes(Quantity quantity) {
    return BigInteger.valueOf(quantity.bytes());
  }

  /** Returns an amount for users: at most three digits, and a unit up to Ti. */
  static String shown(BigInteger bytes) {
    int unit = 0;
    BigDecimal amount = new BigDecimal(bytes);
    while (amount.compareTo(KIBI) >= 0 && unit < UNITS.size() - 1) {
      amount = amount.divide(KIBI);
      unit++;
    }
    BigDecimal rounded = amount.round(new MathContext(3, RoundingMode.DOWN));
    return rounded.stripTrailingZeros().toPlainString() + UNITS.get(unit);
  }
}
