package dev.holdfast.engine.example.outside.internal;

import dev.holdfast.engine.example.outside.internal.daemon.Throttle;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/** Rules of exports over NBD and a UNIX socket: for hosts on this node, with limits. */
final class ExportRules {
  static final String PROTOCOL = "nbd";

  private ExportRules() {}

  /**
   * Checks a request.
   *
   * @throws StorageException UNSUPPORTED naming what is not available
   */
  static void check(ExportRequest request) throws StorageException {
    String name = request.export();
    if (!request.protocol().equals(PROTOCOL)) {
      throw refused(name, "protocol " + request.protocol(), "use " + PROTOCOL);
    }
    if (request.security().tlsRequired() || request.security().authenticationRequired()) {
      throw refused(name, "TLS or authentication", "serve the volume through the portal");
    }
    for (ExportHost host : request.hosts()) {
      if (!host.identity().isEmpty()) {
        throw refused(
            name,
            "host " + host.identity(),
            "attach the volume on the node that serves it, or serve it through the portal");
      }
    }
    requireOptimized(name, request.access());
    Throttle.require(name, request.limits());
  }

  static void requireOptimized(String name, PathAccess access) throws StorageException {
    if (access != PathAccess.OPTIMIZED) {
      throw refused(name, "access " + access, "NBD has no states of a path");
    }
  }

  private static StorageException refused(String name, String what, String remedy) {
    return new StorageException(
        ErrorCode.UNSUPPORTED, "export " + name + ": " + what + " is not available: " + remedy);
  }
}
