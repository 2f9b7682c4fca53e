package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.GatedDevice;
import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.block.filter.IoStatistics;
import dev.holdfast.block.filter.ThrottledDevice;
import dev.holdfast.datapath.HeldRequests;
import dev.holdfast.datapath.ServingState;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.AccessState;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import java.time.Duration;
import java.util.Optional;

/** Serving through the portal: export, throttle, copying, gate, open volume. */
record PortalServing(
    String protocol,
    Portal portal,
    PublishedExport export,
    ThrottledDevice throttle,
    GatedDevice gate)
    implements Serving {

  @Override
  public ServingState.Way way() {
    return ServingState.Way.PORTAL;
  }

  @Override
  public String endpoint() {
    return export.endpoint().toString();
  }

  @Override
  public boolean isThrough(Portal other) {
    return portal == other;
  }

  @Override
  public HeldRequests hold(Duration drain) throws StorageException {
    return gate.hold(drain)::close;
  }

  @Override
  public void limit(IoLimits limits) {
    throttle.limit(limits);
  }

  @Override
  public void access(PathAccess access) throws StorageException {
    export.access(state(access));
  }

  /** Returns the access state of a path in the terms of frontends. */
  static AccessState state(PathAccess access) {
    return switch (access) {
      case OPTIMIZED -> AccessState.OPTIMIZED;
      case STANDBY -> AccessState.STANDBY;
      case INACCESSIBLE -> AccessState.INACCESSIBLE;
    };
  }

  /** Returns whether any host is connected. */
  boolean isConnected() {
    return export.connections() > 0;
  }

  @Override
  public void measure() {
    // The gate counts requests, so no update is needed.
  }

  @Override
  public Optional<IoStatistics> statistics() {
    return Optional.of(gate.statistics());
  }

  @Override
  public void withdraw() {
    export.close();
  }
}
