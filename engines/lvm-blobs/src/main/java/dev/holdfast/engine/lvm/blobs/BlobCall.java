package dev.holdfast.engine.lvm.blobs;

import java.util.Objects;
import java.util.Optional;

/**
 * A call about a blob that another node is to make.
 *
 * @param kind of the call
 * @param blob its subject
 * @param options of a new blob; of other calls {@link BlobOptions#THIN}
 * @param sizeBytes size of a new or extended blob, 0 in other calls
 * @param source of a copy
 * @param cookie of an attachment, empty in other calls
 */
public record BlobCall(
    Kind kind,
    Blob blob,
    BlobOptions options,
    long sizeBytes,
    Optional<Blob> source,
    String cookie) {
  /** Kinds of calls. */
  public enum Kind {
    /** {@link BlobManager#createEmpty}. */
    CREATE_EMPTY,
    /** {@link BlobManager#createCopy}. */
    CREATE_COPY,
    /** {@link BlobManager#delete}. */
    DELETE,
    /** {@link BlobManager#extend}. */
    EXTEND,
    /** {@link BlobManager#attach} on the node that gets the call. */
    ATTACH,
    /** {@link BlobManager#detach} on the node that gets the call. */
    DETACH,
    /** Detaches the blob under a cookie, unless its user is still there: then BUSY. */
    ABANDON
  }

  /** Checks that nothing is missing. */
  public BlobCall {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(blob, "blob");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(cookie, "cookie");
  }

  static BlobCall createEmpty(Blob blob, BlobOptions options, long sizeBytes) {
    return new BlobCall(Kind.CREATE_EMPTY, blob, options, sizeBytes, Optional.empty(), "");
  }

  static BlobCall createCopy(Blob blob, Blob source) {
    return new BlobCall(Kind.CREATE_COPY, blob, BlobOptions.THIN, 0, Optional.of(source), "");
  }

  static BlobCall delete(Blob blob) {
    return new BlobCall(Kind.DELETE, blob, BlobOptions.THIN, 0, Optional.empty(), "");
  }

  static BlobCall extend(Blob blob, long sizeBytes) {
    return new BlobCall(Kind.EXTEND, blob, BlobOptions.THIN, sizeBytes, Optional.empty(), "");
  }

  static BlobCall of(Kind kind, Blob blob, String cookie) {
    return new BlobCall(kind, blob, BlobOptions.THIN, 0, Optional.empty(), cookie);
  }
}
