package dev.holdfast.engine.sparse.internal.chain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.engine.sparse.internal.disk.RecordJson;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;

/**
 * A change of a volume's structure that all its replicas make.
 *
 * @param id never used twice; a replica makes the change of one id once
 * @param kind what is done
 * @param snapshot that is made, gone back to or given up; empty for an expansion
 * @param userCreated of a new snapshot: whether a user or a workload requested it
 * @param created of a new snapshot: its time, in ISO 8601, else empty
 * @param labels of a new snapshot
 * @param sizeBytes of the volume after an expansion, or after one is taken back, else 0
 */
public record ChainOperation(
    String id,
    Kind kind,
    String snapshot,
    boolean userCreated,
    String created,
    Map<String, String> labels,
    long sizeBytes) {
  private static final ObjectMapper JSON = RecordJson.mapper();

  /** The supported operations. */
  public enum Kind {
    /** The head becomes a snapshot, with an empty head on top. */
    SNAPSHOT,
    /** The head is thrown away, for an empty one on top of the snapshot. */
    REVERT,
    /** The snapshot is marked as removed. */
    REMOVE,
    /** The head grows. */
    EXPAND,
    /** The growth that was made last is taken back: others could not make it. */
    SHRINK
  }

  public ChainOperation {
    labels = Map.copyOf(labels);
  }

  /** Reads what {@link #encoded} wrote; empty when there is no operation. */
  public static Optional<ChainOperation> parse(String text) throws StorageException {
    try {
      return text.isEmpty()
          ? Optional.empty()
          : Optional.of(JSON.readValue(text, ChainOperation.class));
    } catch (JsonProcessingException e) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, "the operation " + text + " is not known to this engine", e);
    }
  }

  /** Returns it as the register remembers it. */
  public String encoded() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an operation of texts and numbers", e);
    }
  }

  /** Returns the volume's size when all have made it. */
  public long sizeAfter(long before) {
    return kind == Kind.EXPAND ? sizeBytes : before;
  }

  /** Returns whether it throws away what was written since a snapshot. */
  public boolean reverts() {
    return kind == Kind.REVERT;
  }

  /** Returns the operation that takes this expansion back. */
  public ChainOperation withdrawn(long size) {
    return new ChainOperation(id + "-back", Kind.SHRINK, "", false, "", Map.of(), size);
  }

  /** Returns whether a replica refused an operation without changing anything. */
  public static boolean refused(StorageException failure) {
    return switch (failure.code()) {
      case NOT_FOUND, ALREADY_EXISTS, INVALID, UNSUPPORTED, NO_SPACE -> true;
      case CONFLICT, BUSY, UNREACHABLE, TIMEOUT, EXPIRED, FORBIDDEN, IO, INTERNAL -> false;
    };
  }
}
