package dev.holdfast.engine.sparse.internal.chain;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.engine.sparse.internal.disk.RecordJson;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;
import java.util.Optional;

/**
 * A change of a volume's layer structure that all its replicas perform.
 *
 * @param id unique identifier; a replica performs the operation of one id once
 * @param kind kind of the change
 * @param snapshot snapshot to create, to revert to or to remove; empty for an expansion
 * @param userCreated for a new snapshot: whether a user or a workload requested it
 * @param created for a new snapshot: its time in ISO 8601; else empty
 * @param labels labels of a new snapshot
 * @param sizeBytes size of the volume in bytes after an expansion or its rollback, else 0
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
    /** The head becomes a snapshot below a new, empty head. */
    SNAPSHOT,
    /** The head is discarded, and an empty head on top of the snapshot replaces it. */
    REVERT,
    /** The snapshot is marked as removed. */
    REMOVE,
    /** The head grows. */
    EXPAND,
    /** Rolls back the last expansion, because other replicas could not perform it. */
    SHRINK
  }

  public ChainOperation {
    labels = Map.copyOf(labels);
  }

  /** Reads the text of {@link #encoded}; empty when the text contains no operation. */
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

  /** Returns the text form that the register stores. */
  public String encoded() {
    try {
      return JSON.writeValueAsString(this);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("an operation of texts and numbers", e);
    }
  }

  /** Returns the volume's size in bytes after all replicas have performed the operation. */
  public long sizeAfter(long before) {
    return kind == Kind.EXPAND ? sizeBytes : before;
  }

  /** Returns whether the operation discards data written since a snapshot. */
  public boolean reverts() {
    return kind == Kind.REVERT;
  }

  /** Returns the operation that rolls this expansion back. */
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
