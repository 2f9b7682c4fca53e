package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.block.filter.IoKind;
import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.block.filter.IoStatistics;
import dev.holdfast.block.filter.ThrottledDevice;
import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.datapath.ServingState;
import dev.holdfast.datapath.ServingState.Way;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ForwardedVolume;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.Portal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How hosts reach one volume: through the portal or by an export of its engine, never by both. Used
 * by the steps of the volume, one at a time; statistics are for any thread.
 */
final class VolumeServing {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeServing.class);

  private final String volume;
  private volatile Optional<Serving> present = Optional.empty();
  private IoLimits limits = IoLimits.NONE;
  private boolean limitsDue;
  private boolean reserved;
  private Optional<String> refusal = Optional.empty();

  VolumeServing(String volume) {
    this.volume = volume;
  }

  /** The open volume and the devices before it. */
  record Layers(
      EngineProvider engine,
      OpenVolume open,
      GatedDevice gate,
      ThrottledDevice throttle,
      boolean lacksContent) {
    private Optional<ExportingVolume> exporting() {
      return engine.capabilities().contains(EngineCapability.NATIVE_EXPORT)
              && open instanceof ExportingVolume able
          ? Optional.of(able)
          : Optional.empty();
    }
  }

  /** Record of exports in the store. */
  interface ExportClaim {
    /** Returns whether hosts hold reservations, which the portal keeps. */
    boolean isReserved() throws StorageException;

    /** Records that an export of the engine may serve hosts from now on. */
    void record() throws StorageException;
  }

  /** A wish to publish. */
  record Publication(
      String protocol, Optional<Portal> portal, ExportStateStore state, ExportClaim claim) {}

  /** An export cannot be found again: only closing the volume ends it. */
  static final class LostExport extends StorageException {
    private static final long serialVersionUID = 1L;

    LostExport(String volume, String why) {
      super(
          ErrorCode.IO,
          "volume " + volume + ": its native export is not found again, reopening it: " + why);
    }
  }

  IoLimits limits() {
    return limits;
  }

  boolean isNative() {
    return present.filter(NativeServing.class::isInstance).isPresent();
  }

  /** Returns whether hosts use an export that continues without this process. */
  boolean lasts() {
    return present
        .filter(way -> way instanceof NativeServing exported && exported.lasts())
        .isPresent();
  }

  /** Returns the way in use, empty when no host can reach the volume. */
  Optional<Serving> present() {
    return present;
  }

  /** Returns whether hosts reach the volume by this protocol, and not by another portal. */
  boolean serves(String protocol, Optional<Portal> portal) {
    return present
        .filter(way -> way.protocol().equals(protocol))
        .filter(
            way ->
                way instanceof NativeServing exported
                    ? !exported.isLost()
                    : portal.filter(way::isThrough).isPresent())
        .isPresent();
  }

  /** An engine continues what an earlier process left serving. */
  void adopted(String protocol, GatedDevice gate) {
    limitsDue = false;
    NativeServing left = new NativeServing(volume, protocol, limits, gate, true);
    left.adopted();
    present = Optional.of(left);
  }

  /** The opening ended, or the engine changed its export: it has to be found again. */
  void lose() {
    present
        .filter(NativeServing.class::isInstance)
        .map(NativeServing.class::cast)
        .ifPresent(NativeServing::lose);
  }

  /** Forgets the way: the volume is closed, or continues without this process. */
  void forget() {
    present = Optional.empty();
  }

  /**
   * Lets hosts reach the volume, or finds the export again by which they do.
   *
   * @return the way and why
   * @throws LostExport when the volume has to be closed first
   */
  ServingState publish(Publication wanted, Layers layers) throws StorageException {
    ServingState choice = choice(wanted.protocol(), layers);
    if (present.isPresent() && present.get() instanceof NativeServing exported) {
      boolean stays = choice.way() == Way.NATIVE && wanted.protocol().equals(exported.protocol());
      if (stays) {
        findAgain(exported, layers);
        return choice;
      }
    }
    withdraw();
    limitsDue = false;
    reserved = choice.way() == Way.NATIVE && wanted.claim().isReserved();
    if (choice.way() == Way.NATIVE && !reserved && exported(wanted, layers)) {
      return choice;
    }
    ServingState portal = choice(wanted.protocol(), layers);
    throughPortal(wanted, layers, portal);
    return portal;
  }

  private void findAgain(NativeServing exported, Layers layers) throws StorageException {
    try {
      exported.find(layers.exporting().orElseThrow());
    } catch (StorageException e) {
      if (e.code() == ErrorCode.UNSUPPORTED) {
        throw new LostExport(volume, String.valueOf(e.getMessage()));
      }
      throw e;
    }
  }

  private boolean exported(Publication wanted, Layers layers) throws StorageException {
    NativeServing exported =
        new NativeServing(
            volume,
            wanted.protocol(),
            limits,
            layers.gate(),
            LeftExports.lasting(layers.engine()).isPresent());
    wanted.claim().record();
    try {
      exported.find(layers.exporting().orElseThrow());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.UNSUPPORTED) {
        throw e;
      }
      LOG.info("volume {}: served through the portal: {}", volume, e.getMessage());
      refusal = Optional.of(String.valueOf(e.getMessage()));
      return false;
    }
    present = Optional.of(exported);
    return true;
  }

  private void throughPortal(Publication wanted, Layers layers, ServingState choice)
      throws StorageException {
    Portal portal =
        wanted
            .portal()
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.UNSUPPORTED,
                        "volume "
                            + volume
                            + ": no portal is installed: install its bundle"
                            + because(choice)));
    try {
      present =
          Optional.of(
              new PortalServing(
                  wanted.protocol(),
                  portal,
                  portal.publish(wanted.protocol(), volume, layers.throttle(), wanted.state()),
                  layers.throttle(),
                  layers.gate()));
    } catch (StorageException e) {
      throw choice.reason().isEmpty()
          ? e
          : new StorageException(e.code(), e.getMessage() + because(choice), e);
    }
  }

  private static String because(ServingState choice) {
    return choice.message().isEmpty() ? "" : "; not exported by its engine: " + choice.message();
  }

  private ServingState choice(String protocol, Layers layers) {
    return ServingChoice.of(
        new ServingChoice.Facts(
            protocol,
            layers.exporting().isPresent(),
            layers.exporting().map(ExportingVolume::protocols).orElse(Set.of()),
            layers.open() instanceof ForwardedVolume,
            layers.lacksContent(),
            reserved,
            refusal,
            limits.isAny()));
  }

  /** Applies limits that could not be applied, and returns the way in use and why it is. */
  Optional<ServingState> review(Layers layers) {
    applyLimits();
    return present.map(way -> ServingChoice.keeping(way.way(), choice(way.protocol(), layers)));
  }

  /** Limits what hosts may use, from now on and after another publication. */
  void limit(IoLimits wanted) {
    if (!wanted.equals(limits)) {
      limits = wanted;
      refusal = Optional.empty();
      limitsDue = true;
    }
    applyLimits();
  }

  private void applyLimits() {
    if (!limitsDue || present.isEmpty()) {
      return;
    }
    try {
      present.get().limit(limits);
      limitsDue = false;
    } catch (StorageException e) {
      limitsDue = e.code() != ErrorCode.UNSUPPORTED;
      if (!limitsDue) {
        LOG.warn("volume {}: its earlier limits stay: {}", volume, e.getMessage());
        refusal = Optional.of(String.valueOf(e.getMessage()));
      }
    }
  }

  /** Holds the requests of hosts; a volume without any is held at its gate. */
  HeldRequests hold(Duration drain, GatedDevice gate) throws StorageException {
    return present.isPresent() ? present.get().hold(drain) : gate.hold(drain)::close;
  }

  void measure() {
    present.ifPresent(Serving::measure);
  }

  /** Returns what hosts did by the present way; for any thread. */
  Optional<IoStatistics> statistics() {
    return present.flatMap(Serving::statistics);
  }

  /** Returns how many requests of hosts an export of the engine ended; for any thread. */
  long exportedRequests() {
    return present
        .filter(way -> way.way() == Way.NATIVE)
        .flatMap(Serving::statistics)
        .map(
            counts ->
                Arrays.stream(IoKind.values()).mapToLong(kind -> counts.of(kind).requests()).sum())
        .orElse(0L);
  }

  /**
   * Withdraws the volume from hosts.
   *
   * @throws LostExport when only closing the volume does that
   * @throws StorageException when an export is not known to be withdrawn: call it again
   */
  void withdraw() throws StorageException {
    if (present.isPresent()) {
      if (present.get() instanceof NativeServing exported && exported.isLost()) {
        throw new LostExport(volume, "it has to be withdrawn");
      }
      present.get().withdraw();
      present = Optional.empty();
    }
  }
}
