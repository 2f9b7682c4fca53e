package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.block.filter.IoStatistics;
import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.datapath.ServingState;
import dev.holdfast.datapath.internal.hosts.AllowedHosts;
import dev.holdfast.datapath.internal.hosts.ExportHosts;
import dev.holdfast.engine.export.ExportHold;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.NativeExport;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serving by an export of the engine. The gate remains beside it for nodes that forward requests.
 *
 * <pre>
 *             find                  opening ended or export changed
 *   LOST -------------> FOUND ----------------------------------------> LOST
 *                         |  withdraw
 *                         '----------> ended
 * </pre>
 *
 * <p>A lost export may serve hosts, but cannot be controlled or withdrawn until it is found;
 * closing the volume ends it.
 */
final class NativeServing implements Serving {
  private static final Logger LOG = LoggerFactory.getLogger(NativeServing.class);

  private final String volume;
  private final GatedDevice gate;
  private final boolean lasting;
  private final ExportHosts hosts;
  private boolean adopted;
  private ExportRequest request;
  private String endpoint = "";
  private String remark = "";
  private volatile Optional<NativeExport> export = Optional.empty();
  private volatile Optional<IoStatistics> statistics = Optional.empty();

  /** Creates a lost export. */
  NativeServing(
      String volume,
      String protocol,
      IoLimits limits,
      GatedDevice gate,
      boolean lasting,
      ExportHosts hosts) {
    this.volume = volume;
    this.gate = gate;
    this.lasting = lasting;
    this.hosts = hosts;
    this.request =
        ExportRequest.of(protocol, volume, List.of()).withLimits(ExportFigures.limits(limits));
  }

  /**
   * Finds the export, or creates it.
   *
   * @throws StorageException as {@link ExportingVolume#export} and {@link ExportHosts#of}
   */
  void find(ExportingVolume by) throws StorageException {
    if (adopted) {
      withdrawOthers(by);
      adopted = false;
    }
    AllowedHosts allowed = hosts.of(protocol(), volume);
    NativeExport found = by.export(allowed.in(request));
    request = allowed.in(request);
    remark = allowed.remark(volume);
    endpoint =
        found.endpoints().stream()
            .findFirst()
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.INTERNAL,
                        "volume " + volume + ": its native export has no endpoint"))
            .toString();
    export = Optional.of(found);
  }

  /**
   * Updates the hosts that may use the export and their keys. Hosts that stay notice nothing. The
   * next call retries a failure.
   */
  void admit(ExportingVolume by) {
    if (isLost() || !ExportHosts.change(protocol())) {
      return;
    }
    try {
      AllowedHosts allowed = hosts.of(protocol(), volume);
      if (!allowed.in(request).equals(request)) {
        NativeExport same = by.export(allowed.in(request));
        export = Optional.of(same);
        request = allowed.in(request);
        LOG.info("volume {}: its native export admits {} hosts", volume, allowed.hosts().size());
      }
      remark = allowed.remark(volume);
    } catch (StorageException e) {
      LOG.warn(
          "volume {}: could not update the hosts that its export admits: {}",
          volume,
          e.getMessage());
    }
  }

  /** Returns a remark for users about the export's hosts, empty when none is needed. */
  String remark() {
    return remark;
  }

  /** The earlier process may have left an export by another protocol than the wanted one. */
  private void withdrawOthers(ExportingVolume by) throws StorageException {
    for (String other : by.protocols()) {
      if (!other.equals(protocol())) {
        by.export(ExportRequest.of(other, volume, List.of())).close();
      }
    }
  }

  /**
   * Makes the export a standby path: hosts may connect, and are not served until {@link #access}
   * allows it.
   */
  void standBy() {
    request = request.withAccess(PathAccess.STANDBY);
  }

  /** Marks the export as left by an earlier process. */
  void adopted() {
    adopted = true;
  }

  /** Marks the export as lost: its opening ended, or the engine changed it. */
  void lose() {
    export = Optional.empty();
  }

  /** Returns whether it serves hosts while no process of the platform runs. */
  boolean lasts() {
    return lasting;
  }

  boolean isLost() {
    return export.isEmpty();
  }

  private NativeExport found() throws StorageException {
    return export.orElseThrow(
        () ->
            new StorageException(
                ErrorCode.IO, "volume " + volume + ": its native export is not found yet"));
  }

  @Override
  public ServingState.Way way() {
    return ServingState.Way.NATIVE;
  }

  @Override
  public String protocol() {
    return request.protocol();
  }

  @Override
  public String endpoint() {
    return endpoint;
  }

  @Override
  public boolean isThrough(Portal portal) {
    return false;
  }

  /** Holds both, because another node may pass requests to the gate. */
  @Override
  public HeldRequests hold(Duration drain) throws StorageException {
    NativeExport held = found();
    GatedDevice.Hold forwarded = gate.hold(drain);
    try {
      ExportHold hosts = held.hold(drain);
      return () -> release(hosts, forwarded);
    } catch (StorageException | RuntimeException | Error e) {
      forwarded.close();
      throw e;
    }
  }

  private void release(ExportHold hosts, GatedDevice.Hold forwarded) {
    try (forwarded) {
      hosts.close();
    } catch (StorageException e) {
      LOG.warn(
          "volume {}: could not release the requests held at its native export: {}",
          volume,
          e.getMessage());
    }
  }

  @Override
  public void limit(IoLimits limits) throws StorageException {
    found().limit(ExportFigures.limits(limits));
    request = request.withLimits(ExportFigures.limits(limits));
  }

  @Override
  public void access(PathAccess access) throws StorageException {
    found().access(access);
    request = request.withAccess(access);
  }

  @Override
  public void measure() {
    try {
      if (export.isPresent()) {
        found().statistics().map(ExportFigures::statistics).ifPresent(this::measured);
      }
    } catch (StorageException e) {
      LOG.debug(
          "volume {}: could not read the statistics of its native export: {}",
          volume,
          e.getMessage());
    }
  }

  private void measured(IoStatistics now) {
    statistics = Optional.of(now);
  }

  @Override
  public Optional<IoStatistics> statistics() {
    return statistics;
  }

  @Override
  public void withdraw() throws StorageException {
    found().close();
    export = Optional.empty();
  }
}
