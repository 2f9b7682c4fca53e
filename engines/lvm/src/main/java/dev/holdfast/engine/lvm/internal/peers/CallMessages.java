package dev.holdfast.engine.lvm.internal.peers;

import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.BlobCall;
import dev.holdfast.engine.lvm.blobs.BlobMode;
import dev.holdfast.engine.lvm.blobs.BlobOptions;
import dev.holdfast.engine.lvm.blobs.BlobWipe;
import dev.holdfast.engine.lvm.rpc.CallKind;
import dev.holdfast.engine.lvm.rpc.PerformRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/** Calls about blobs as messages. */
final class CallMessages {
  private CallMessages() {}

  static PerformRequest write(BlobCall call) {
    return PerformRequest.newBuilder()
        .setKind(kind(call.kind()))
        .setGroup(call.blob().group())
        .setBlob(call.blob().name())
        .setLinear(call.options().mode() == BlobMode.LINEAR)
        .setUnsafeFast(call.options().wipe() == BlobWipe.UNSAFE_FAST)
        .setSizeBytes(call.sizeBytes())
        .setSource(call.source().map(Blob::name).orElse(""))
        .setCookie(call.cookie())
        .build();
  }

  private static CallKind kind(BlobCall.Kind kind) {
    return switch (kind) {
      case CREATE_EMPTY -> CallKind.CREATE_EMPTY;
      case CREATE_COPY -> CallKind.CREATE_COPY;
      case DELETE -> CallKind.DELETE;
      case EXTEND -> CallKind.EXTEND;
      case ATTACH -> CallKind.ATTACH;
      case DETACH -> CallKind.DETACH;
      case ABANDON -> CallKind.ABANDON;
    };
  }

  /**
   * Reads a message.
   *
   * @throws StorageException UNSUPPORTED for a call of a later version; INVALID
   */
  static BlobCall read(PerformRequest request) throws StorageException {
    try {
      Optional<Blob> source =
          request.getSource().isEmpty()
              ? Optional.empty()
              : Optional.of(new Blob(request.getGroup(), request.getSource()));
      return new BlobCall(
          kind(request),
          new Blob(request.getGroup(), request.getBlob()),
          new BlobOptions(
              request.getLinear() ? BlobMode.LINEAR : BlobMode.THIN,
              request.getUnsafeFast() ? BlobWipe.UNSAFE_FAST : BlobWipe.FULL),
          request.getSizeBytes(),
          source,
          request.getCookie());
    } catch (IllegalArgumentException e) {
      throw new StorageException(ErrorCode.INVALID, "call about a blob: " + e.getMessage(), e);
    }
  }

  private static BlobCall.Kind kind(PerformRequest request) throws StorageException {
    return switch (request.getKind()) {
      case CREATE_EMPTY -> BlobCall.Kind.CREATE_EMPTY;
      case CREATE_COPY -> BlobCall.Kind.CREATE_COPY;
      case DELETE -> BlobCall.Kind.DELETE;
      case EXTEND -> BlobCall.Kind.EXTEND;
      case ATTACH -> BlobCall.Kind.ATTACH;
      case DETACH -> BlobCall.Kind.DETACH;
      case ABANDON -> BlobCall.Kind.ABANDON;
      case CALL_KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw new StorageException(
              ErrorCode.UNSUPPORTED,
              "call "
                  + request.getKindValue()
                  + " about blob "
                  + request.getGroup()
                  + "/"
                  + request.getBlob()
                  + " is not known: install the version of the calling node");
    };
  }
}
