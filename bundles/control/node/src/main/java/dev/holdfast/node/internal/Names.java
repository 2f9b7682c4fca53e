package dev.holdfast.node.internal;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaSpec;
import java.nio.file.Path;

/** How resources and what they stand for name each other. */
final class Names {
  private Names() {}

  static String engineOf(String volume) {
    return volume + "-e-0";
  }

  static ReplicaLocation location(Replica replica) throws StorageException {
    ReplicaSpec spec = replica.spec();
    try {
      return new ReplicaLocation(
          spec.volume(),
          replica.name(),
          spec.nodeID(),
          Path.of(spec.diskPath()),
          spec.dataDirectoryName(),
          spec.witness());
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, "replica " + replica.name() + ": " + e.getMessage(), e);
    }
  }

  /** The reason of a condition that a failure is told in. */
  static String reason(ErrorCode code) {
    return switch (code) {
      case NOT_FOUND -> "NotFound";
      case ALREADY_EXISTS -> "AlreadyExists";
      case CONFLICT -> "Superseded";
      case INVALID -> "Invalid";
      case UNSUPPORTED -> "NotInstalled";
      case NO_SPACE -> "NoSpace";
      case BUSY -> "Busy";
      case UNREACHABLE -> "Unreachable";
      case TIMEOUT -> "Timeout";
      case EXPIRED -> "Expired";
      case FORBIDDEN -> "Forbidden";
      case IO -> "IOError";
      case INTERNAL -> "InternalError";
    };
  }
}
