package dev.holdfast.engine.spdk.internal.volume;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Rules for requests of exports. */
public final class NvmeExportRules {
  /** The name of the platform's own frontend, which serves where an export cannot. */
  public static final String PROTOCOL = "nvmeof";

  /** Scheme of endpoints, by which initiators know them. */
  static final String SCHEME = "nvme";

  private static final long THOUSAND = 1_000;
  private static final long MIB = 1 << 20;

  private NvmeExportRules() {}

  private static StorageException unsupported(String export, String what) {
    return new StorageException(ErrorCode.UNSUPPORTED, "export " + export + ": " + what);
  }

  /** Fails unless an export can be as requested. */
  static void check(ExportRequest request) throws StorageException {
    String export = request.export();
    if (!request.protocol().equals(PROTOCOL)) {
      throw unsupported(
          export,
          "protocol " + request.protocol() + " is not available: engine spdk has " + PROTOCOL);
    }
    for (ExportHost host : request.hosts()) {
      requireKeys(request, host);
    }
    if (request.pathId() != 0) {
      throw unsupported(export, "pathId " + request.pathId() + ": engine spdk has one path, 0");
    }
    requireLimits(export, request.limits());
  }

  private static void requireKeys(ExportRequest request, ExportHost host) throws StorageException {
    String who = "host " + (host.identity().isEmpty() ? "of this node" : host.identity());
    if (request.security().authenticationRequired() && host.hostKey().isEmpty()) {
      throw invalid(request, who + ": has no key: give it one, because authentication is required");
    }
    if (host.controllerKey().isPresent() && host.hostKey().isEmpty()) {
      throw invalid(request, who + ": has a key of the controller only: give it one of its own");
    }
    if (request.security().tlsRequired() && host.tlsKey().isEmpty()) {
      throw invalid(request, who + ": has no pre-shared key: give it one, because TLS is required");
    }
    if (!request.security().tlsRequired() && host.tlsKey().isPresent()) {
      throw unsupported(
          request.export(),
          who + ": has a pre-shared key: SPDK's listener has TLS for all hosts: require TLS");
    }
  }

  private static StorageException invalid(ExportRequest request, String what) {
    return new StorageException(ErrorCode.INVALID, "export " + request.export() + ": " + what);
  }

  /** Fails for limits that SPDK does not keep or would round. */
  static void requireLimits(String export, ExportLimits limits) throws StorageException {
    if (limits.reads() > 0 || limits.writes() > 0) {
      throw unsupported(
          export,
          "reads and writes: SPDK limits the requests of both directions together: set requests");
    }
    if (limits.requests() % THOUSAND != 0) {
      throw unsupported(
          export, "requests: SPDK limits in steps of 1000, not to " + limits.requests());
    }
    requireMebibytes(export, "bytes", limits.bytes());
    requireMebibytes(export, "bytesRead", limits.bytesRead());
    requireMebibytes(export, "bytesWritten", limits.bytesWritten());
    if (limits.isAny() && limits.burstSeconds() != 1) {
      throw unsupported(
          export, "burstSeconds: SPDK has no bursts: set 1 instead of " + limits.burstSeconds());
    }
  }

  private static void requireMebibytes(String export, String field, long bytes)
      throws StorageException {
    if (bytes % MIB != 0) {
      throw unsupported(export, field + ": SPDK limits in steps of 1 MiB, not to " + bytes);
    }
  }

  /** Returns the parameters by which SPDK limits a device. */
  static ObjectNode limits(String device, ExportLimits limits) {
    return SpdkTarget.params()
        .put("name", device)
        .put("rw_ios_per_sec", limits.requests())
        .put("rw_mbytes_per_sec", limits.bytes() / MIB)
        .put("r_mbytes_per_sec", limits.bytesRead() / MIB)
        .put("w_mbytes_per_sec", limits.bytesWritten() / MIB);
  }

  /**
   * Returns the hosts of a request by their names.
   *
   * @param ownName file with the name of this host
   */
  static Map<String, ExportHost> hosts(ExportRequest request, Path ownName)
      throws StorageException {
    Map<String, ExportHost> names = new TreeMap<>();
    for (ExportHost host : request.hosts()) {
      String name = host.identity().isEmpty() ? ownName(ownName) : host.identity();
      if (!name.startsWith("nqn.")) {
        throw new StorageException(
            ErrorCode.INVALID,
            "export " + request.export() + ": host " + name + ": must be an NQN: nqn.…");
      }
      names.put(name, host);
    }
    return names;
  }

  private static String ownName(Path file) throws StorageException {
    try {
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.INVALID,
          file + ": could not read the NQN of this host: make it: nvme gen-hostnqn > " + file,
          e);
    }
  }
}
