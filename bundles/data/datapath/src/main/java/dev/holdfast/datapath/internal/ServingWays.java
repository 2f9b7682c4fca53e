package dev.holdfast.datapath.internal;

import dev.holdfast.block.filter.IoLimits;
import dev.holdfast.datapath.internal.hosts.ExportHosts;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportPath;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;

/**
 * Creates the ways of one publication. If the engine can export the protocol and the protocol has
 * paths, its export is path 0 and the portal is path 1 of one volume, so that hosts can change.
 */
record ServingWays(
    String volume,
    VolumeServing.Publication wanted,
    VolumeServing.Layers layers,
    IoLimits limits,
    ExportHosts hosts) {
  private static final int PORTAL_PATH = 1;

  /** Returns an export of the engine that is not found yet. */
  NativeServing exported() {
    boolean lasts = LeftExports.lasting(layers.engine()).isPresent();
    return new NativeServing(volume, wanted.protocol(), limits, layers.gate(), lasts, hosts);
  }

  /** Publishes the volume through the portal. */
  PortalServing portal() throws StorageException {
    if (layers.exporting().filter(e -> e.protocols().contains(wanted.protocol())).isPresent()) {
      try {
        return portalPath(PathAccess.OPTIMIZED);
      } catch (StorageException e) {
        // The protocol has no paths, or the next attempt fails for the same reason.
        if (e.code() != ErrorCode.UNSUPPORTED) {
          throw e;
        }
      }
    }
    Portal portal = installed();
    return serving(
        portal, portal.publish(wanted.protocol(), volume, layers.throttle(), wanted.state()));
  }

  /**
   * Publishes the volume through the portal, as one of two paths.
   *
   * @throws StorageException UNSUPPORTED when the protocol has no paths
   */
  PortalServing portalPath(PathAccess access) throws StorageException {
    Portal portal = installed();
    ExportPath path = ExportPath.of(PORTAL_PATH, PortalServing.state(access));
    return serving(
        portal, portal.publish(wanted.protocol(), volume, layers.throttle(), wanted.state(), path));
  }

  private Portal installed() throws StorageException {
    return wanted
        .portal()
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNSUPPORTED,
                    "volume " + volume + ": no portal is installed: install its bundle"));
  }

  private PortalServing serving(Portal portal, PublishedExport export) {
    return new PortalServing(wanted.protocol(), portal, export, layers.throttle(), layers.gate());
  }
}
