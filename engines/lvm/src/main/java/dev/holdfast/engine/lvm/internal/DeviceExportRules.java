package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;

/** Rules of exports as devices of the host: for its own programs, without limits and keys. */
final class DeviceExportRules {
  static final String PROTOCOL = "device";

  private DeviceExportRules() {}

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
            "attach the volume on the node that has its volume group");
      }
    }
    requireOptimized(name, request.access());
    requireUnlimited(name, request.limits());
  }

  static void requireOptimized(String name, PathAccess access) throws StorageException {
    if (access != PathAccess.OPTIMIZED) {
      throw refused(name, "access " + access, "a device of the host has no states of a path");
    }
  }

  static void requireUnlimited(String name, ExportLimits limits) throws StorageException {
    List<String> wanted = new ArrayList<>();
    add(wanted, "requests", limits.requests());
    add(wanted, "bytes", limits.bytes());
    add(wanted, "reads", limits.reads());
    add(wanted, "bytesRead", limits.bytesRead());
    add(wanted, "writes", limits.writes());
    add(wanted, "bytesWritten", limits.bytesWritten());
    if (!wanted.isEmpty()) {
      throw refused(
          name,
          "a limit of " + String.join(", ", wanted),
          "remove the limits, or attach the volume by a frontend such as nbd");
    }
  }

  private static void add(List<String> wanted, String name, long value) {
    if (value > 0) {
      wanted.add(name);
    }
  }

  private static StorageException refused(String name, String what, String remedy) {
    return new StorageException(
        ErrorCode.UNSUPPORTED, "export " + name + ": " + what + " is not available: " + remedy);
  }
}
