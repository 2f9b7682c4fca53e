package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.block.filter.IoKind;
import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.block.filter.IoStatistics;
import dev.holdfast.block.filter.ThrottledDevice;
import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.datapath.ServingState;
import dev.holdfast.datapath.ServingState.Way;
import dev.holdfast.datapath.internal.hosts.ExportHosts;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ForwardedVolume;
import dev.holdfast.engine.OpenVolume;
import dev.holdfast.engine.export.ExportingVolume;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.Portal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How hosts reach one volume: through the portal or by an export of its engine, never by both. Used
 * by the steps of the volume, one at a time; statistics are for any thread.
 */
final class VolumeServing {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeServing.class);

  private final String volume;
  private final ExportHosts hosts;
  private volatile Optional<Serving> present = Optional.empty();
  private IoLimits limits = IoLimits.NONE;
  private boolean limitsDue;
  private boolean reserved;
  private boolean hasOtherHosts;
  private Optional<String> refusal = Optional.empty();
  private Optional<WayChange> change = Optional.empty();

  VolumeServing(String volume, ExportHosts hosts) {
    this.volume = volume;
    this.hosts = hosts;
  }

  /** The open volume and the devices above it. */
  record Layers(
      EngineProvider engine,
      OpenVolume open,
      GatedDevice gate,
      ThrottledDevice throttle,
      boolean lacksContent) {
    Optional<ExportingVolume> exporting() {
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

    /** Records that an export of the engine may serve hosts. Called before it serves. */
    void record() throws StorageException;
  }

  /** A request to publish. */
  record Publication(
      String protocol, Optional<Portal> portal, ExportStateStore state, ExportClaim claim) {}

  /** Reports an export that cannot be found again: only closing the volume ends it. */
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

  /** Records that an engine continued an export that an earlier process left serving. */
  void adopted(String protocol, GatedDevice gate) {
    limitsDue = false;
    NativeServing left = new NativeServing(volume, protocol, limits, gate, true, hosts);
    left.adopted();
    present = Optional.of(left);
  }

  /** Records that the opening ended or the engine changed its export, which must be found again. */
  void lose() {
    Stream.concat(present.stream(), change.map(WayChange::other).stream())
        .filter(NativeServing.class::isInstance)
        .map(NativeServing.class::cast)
        .forEach(NativeServing::lose);
  }

  /** Forgets the way: the volume is closed, or its export continues without this process. */
  void forget() {
    change
        .map(WayChange::other)
        .filter(PortalServing.class::isInstance)
        .map(PortalServing.class::cast)
        .ifPresent(PortalServing::withdraw);
    change = Optional.empty();
    present = Optional.empty();
  }

  /** Ends a second path through a portal that is being removed. */
  void leave(Portal portal) {
    Optional<Serving> through =
        change.map(WayChange::other).filter(second -> second.isThrough(portal));
    if (through.isPresent() && through.get() instanceof PortalServing second) {
      second.withdraw();
      change = Optional.empty();
    }
  }

  /**
   * Publishes the volume, or finds the export again by which it is published.
   *
   * @return the way and the reason
   * @throws LostExport when the volume must be closed first
   */
  ServingState publish(Publication wanted, Layers layers) throws StorageException {
    ServingState choice = choice(wanted.protocol(), layers);
    if (present.isPresent() && present.get() instanceof NativeServing exported) {
      boolean stays = choice.way() == Way.NATIVE && wanted.protocol().equals(exported.protocol());
      if (stays) {
        findAgain(exported, layers);
        return remarked(choice);
      }
    }
    withdraw();
    limitsDue = false;
    reserved = choice.way() == Way.NATIVE && wanted.claim().isReserved();
    if (choice.way() == Way.NATIVE && !reserved && exported(wanted, layers)) {
      return remarked(choice);
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
    NativeServing exported = ways(wanted, layers).exported();
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
    try {
      present = Optional.of(ways(wanted, layers).portal());
    } catch (StorageException e) {
      throw choice.message().isEmpty()
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
            hasOtherHosts,
            refusal,
            limits.isAny()));
  }

  /** Applies changed limits and hosts. Returns the way in use and the reason. */
  Optional<ServingState> review(Layers layers) {
    applyLimits();
    if (change.isPresent()) {
      return Optional.of(ServingChoice.changing(choice(change.get().to().protocol(), layers)));
    }
    if (present.isPresent() && present.get() instanceof NativeServing exported) {
      layers.exporting().ifPresent(exported::admit);
    }
    return present.map(
        way -> remarked(ServingChoice.keeping(way.way(), choice(way.protocol(), layers))));
  }

  /** An export that no host may use is reported with the reason. */
  private ServingState remarked(ServingState state) {
    return present
        .filter(way -> way instanceof NativeServing && state.message().isEmpty())
        .map(way -> ((NativeServing) way).remark())
        .map(remark -> new ServingState(state.way(), state.reason(), remark))
        .orElse(state);
  }

  /** Returns the change of the way that hosts make; empty for none. */
  Optional<WayChange> change() {
    return change;
  }

  /** Returns whether another way than the one in use would be chosen now. */
  boolean wantsOther(Layers layers) {
    return present
        .filter(way -> choice(way.protocol(), layers).way() != way.way())
        .filter(way -> !(way instanceof NativeServing exported && exported.isLost()))
        .isPresent();
  }

  /**
   * Begins a change to the other way: publishes it as a second path that hosts can connect, without
   * serving requests.
   *
   * @return empty when the way in use stays
   * @throws StorageException UNSUPPORTED when one of both ways has no paths
   */
  Optional<WayChange> beginChange(Publication wanted, Layers layers) throws StorageException {
    reserved = wanted.claim().isReserved();
    if (change.isPresent() || !wantsOther(layers)) {
      return Optional.empty();
    }
    Serving from = present.orElseThrow();
    from.access(PathAccess.OPTIMIZED);
    change = Optional.of(new WayChange(from, secondWay(from, wanted, layers)));
    return change;
  }

  private Serving secondWay(Serving from, Publication wanted, Layers layers)
      throws StorageException {
    if (from.way() == Way.NATIVE) {
      return ways(wanted, layers).portalPath(PathAccess.STANDBY);
    }
    NativeServing second = ways(wanted, layers).exported();
    second.standBy();
    wanted.claim().record();
    try {
      second.find(layers.exporting().orElseThrow());
    } catch (StorageException e) {
      refused(e);
      throw e;
    }
    return second;
  }

  private void refused(StorageException why) {
    if (why.code() == ErrorCode.UNSUPPORTED) {
      refusal = Optional.of(String.valueOf(why.getMessage()));
    }
  }

  private ServingWays ways(Publication wanted, Layers layers) {
    return new ServingWays(volume, wanted, layers, limits, hosts);
  }

  /**
   * Switches to the second path of a change, which the hosts have connected.
   *
   * @throws StorageException when the second path does not serve: {@link WayChange#rollBack} makes
   *     the first one serve
   */
  void switchOver(Publication wanted, Layers layers, Duration drain) throws StorageException {
    WayChange begun = change.orElseThrow();
    reserved = wanted.claim().isReserved();
    if (choice(wanted.protocol(), layers).way() != begun.to().way()) {
      throw new StorageException(
          ErrorCode.BUSY, "volume " + volume + ": the path no longer needs to change");
    }
    try {
      begun.to().limit(limits);
    } catch (StorageException e) {
      refused(e);
      throw e;
    }
    begun.switchOver(drain);
    present = Optional.of(begun.to());
    limitsDue = false;
  }

  /** Reverses a change, because some hosts cannot use the new way. */
  WayChange reverseChange() {
    hasOtherHosts = true;
    WayChange back = change.orElseThrow().reversed();
    change = Optional.of(back);
    return back;
  }

  /**
   * Ends a change: withdraws the way that is not serving.
   *
   * @throws LostExport when that needs the volume to be closed
   * @throws StorageException when the withdrawal is uncertain: call it again
   */
  void endChange(Layers layers) throws StorageException {
    WayChange ending = change.orElseThrow();
    Serving other = ending.other();
    if (other instanceof NativeServing exported && exported.isLost()) {
      findAgain(exported, layers);
    }
    if (!ending.switched()) {
      ending.rollBack();
    }
    other.withdraw();
    change = Optional.empty();
  }

  /** Sets the limits of hosts, now and after another publication. */
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
        LOG.warn(
            "volume {}: could not apply its limits; the earlier ones remain: {}",
            volume,
            e.getMessage());
        refusal = Optional.of(String.valueOf(e.getMessage()));
      }
    }
  }

  /** Holds the requests of hosts; an unpublished volume is held at its gate. */
  HeldRequests hold(Duration drain, GatedDevice gate) throws StorageException {
    return present.isPresent() ? present.get().hold(drain) : gate.hold(drain)::close;
  }

  void measure() {
    present.ifPresent(Serving::measure);
  }

  /** Returns the statistics of the present way; for any thread. */
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
   * @throws LostExport when only closing the volume withdraws it
   * @throws StorageException when the withdrawal is uncertain: call it again
   */
  void withdraw() throws StorageException {
    if (change.isPresent()) {
      withdraw(change.get().other());
      change = Optional.empty();
    }
    if (present.isPresent()) {
      withdraw(present.get());
      present = Optional.empty();
    }
  }

  private void withdraw(Serving way) throws StorageException {
    if (way instanceof NativeServing exported && exported.isLost()) {
      throw new LostExport(volume, "its export must be withdrawn");
    }
    way.withdraw();
  }
}
