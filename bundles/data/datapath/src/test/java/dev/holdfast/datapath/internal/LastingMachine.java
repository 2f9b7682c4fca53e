package dev.holdfast.datapath.internal;

import dev.holdfast.engine.export.ExportLimits;
import dev.holdfast.engine.export.ExportRequest;
import dev.holdfast.engine.export.PathAccess;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A machine on which a process outside of the platform serves one volume. It outlives the engines
 * of its node, and can have planted defects.
 */
final class LastingMachine {
  static final int SIZE = 1 << 20;

  final Set<Defect> defects = EnumSet.noneOf(Defect.class);
  final Map<String, Shown> exports = new TreeMap<>();
  final byte[] bytes;
  Set<String> protocols = Set.of("nbd", "outside");
  boolean keepsLimits = true;
  boolean hasPaths;
  boolean hangsOnWithdrawal;
  long generation;
  Optional<LastingVolume> open = Optional.empty();

  /** Rules that an engine can break. */
  enum Defect {
    /** Adopts without asking the register. */
    ADOPTS_OLD_GENERATION,
    /** Keeps exports of an earlier process at every opening. */
    KEEPS_WHAT_WAS_LEFT,
    /** Serves by a path in any access state. */
    IGNORES_ACCESS
  }

  /** An export that hosts use. */
  static final class Shown {
    boolean held;
    ExportRequest request;
    long requests;
  }

  LastingMachine() {
    this(new byte[SIZE]);
  }

  /** Creates the machine of a node that sees a shared disk. */
  LastingMachine(byte[] disk) {
    bytes = disk;
  }

  /** A request of a host; returns whether it took effect. */
  boolean hostWrites(String protocol, int at, int value) {
    Shown shown = exports.get(protocol);
    if (shown == null || shown.held || !serves(protocol)) {
      return false;
    }
    shown.requests++;
    bytes[at] = (byte) value;
    return true;
  }

  /** Returns whether an export serves requests, when it is not held. */
  boolean serves(String protocol) {
    Shown shown = exports.get(protocol);
    return shown != null
        && (defects.contains(Defect.IGNORES_ACCESS)
            || shown.request.access() == PathAccess.OPTIMIZED);
  }

  void requireAccess(PathAccess access) throws StorageException {
    if (!hasPaths && access != PathAccess.OPTIMIZED) {
      throw new StorageException(ErrorCode.UNSUPPORTED, "access " + access + ": it has no paths");
    }
  }

  void requireLimits(ExportLimits limits) throws StorageException {
    if (!keepsLimits && limits.isAny()) {
      throw new StorageException(ErrorCode.UNSUPPORTED, "limit requests: cannot be kept");
    }
  }

  void withdraw(String protocol) throws StorageException {
    if (hangsOnWithdrawal) {
      throw new StorageException(ErrorCode.TIMEOUT, "the outside process does not answer");
    }
    exports.remove(protocol);
  }

  /** Ends the engine of the node, but not the process outside. */
  void engineDied() {
    open.ifPresent(LastingVolume::end);
    open = Optional.empty();
  }
}
