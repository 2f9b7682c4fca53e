package dev.holdfast.engine.sparse.internal.replica;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.holdfast.engine.sparse.internal.chain.LayerInfo;
import dev.holdfast.engine.sparse.internal.chain.LayerTransfer;
import dev.holdfast.engine.sparse.internal.chain.LocalChain;
import dev.holdfast.engine.sparse.internal.layout.LayerMeta;
import dev.holdfast.engine.sparse.rpc.ExtentList;
import dev.holdfast.engine.sparse.rpc.LayerEntry;
import dev.holdfast.engine.sparse.rpc.LayerMetadata;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Executes the requests of a layer copy at a replica. */
final class LayerRequestHandler {
  private static final int MOST_READ = 2 << 20;
  private static final LayerReply DONE = LayerReply.getDefaultInstance();

  private final LocalChain chain;
  private final LayerTransfer transfer;

  LayerRequestHandler(LocalChain chain) {
    this.chain = chain;
    this.transfer = chain.transfer();
  }

  LayerReply to(LayerRequest request) throws IOException, StorageException {
    String image = request.getImage();
    return switch (request.getKind()) {
      case LIST -> list();
      case EXTENTS -> extents(request);
      case READ -> read(request);
      case CHECKSUM ->
          LayerReply.newBuilder()
              .setChecksum(
                  transfer.checksum(image, request.getOffset(), request.getLength(), bytes -> {}))
              .build();
      case JOIN -> {
        chain.join(request.getNamesList(), request.getLength());
        yield DONE;
      }
      case BEGIN -> {
        transfer.begin(image, request.getLength());
        yield DONE;
      }
      case WRITE -> {
        transfer.write(image, request.getOffset(), direct(request.getData()));
        yield DONE;
      }
      case PUNCH -> {
        transfer.punch(image, request.getOffset(), request.getLength());
        yield DONE;
      }
      case COMPLETE -> {
        transfer.complete(image, meta(request.getMeta()));
        yield DONE;
      }
      case DISCARD -> {
        transfer.discard(image);
        yield DONE;
      }
      case FINISH -> {
        chain.setRebuilding(false);
        yield DONE;
      }
      case REMEMBER -> {
        transfer.rememberChecksum(image, request.getData().toString(StandardCharsets.UTF_8));
        yield DONE;
      }
      case REGION_SUMS ->
          bytes(
              transfer.regionSums(
                  image, request.getOffset(), request.getOffset() + request.getLength()));
      case KEPT_SUMS -> bytes(transfer.keptSums(image));
      case KEEP_SUMS -> {
        transfer.keepSums(image, request.getData().toByteArray());
        yield DONE;
      }
      case REPAIR -> {
        transfer.repair(image, request.getOffset(), direct(request.getData()), request.getLength());
        yield DONE;
      }
      case MISSED, REPLACE_MISSED, FORGET_MISSED, OFFER, KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw new StorageException(
              ErrorCode.UNSUPPORTED, "kind: this replica does not know " + request.getKind());
    };
  }

  private static LayerReply bytes(byte[] content) {
    return LayerReply.newBuilder().setData(UnsafeByteOperations.unsafeWrap(content)).build();
  }

  private LayerReply list() throws IOException {
    LayerReply.Builder reply = LayerReply.newBuilder();
    for (LayerInfo layer : transfer.list()) {
      reply.addLayers(
          LayerEntry.newBuilder()
              .setImage(layer.image())
              .setMeta(meta(layer.meta()))
              .setSize(layer.sizeBytes())
              .setChecksum(layer.checksum()));
    }
    return reply.setHeadParent(chain.tree().parent(chain.state().meta().head())).build();
  }

  private LayerReply extents(LayerRequest request) throws IOException, StorageException {
    LayerReply.Builder reply = LayerReply.newBuilder();
    ExtentList.Builder all = ExtentList.newBuilder().setOffset(request.getOffset());
    ByteString.Output kinds = ByteString.newOutput();
    ExtentMessages messages =
        new ExtentMessages(
            list -> {
              all.addAllLengths(list.getLengthsList());
              kinds.write(list.getKinds().toByteArray(), 0, list.getKinds().size());
            });
    transfer.extents(request.getImage(), request.getOffset(), request.getLength(), messages);
    messages.finish();
    return reply.setExtents(all.setKinds(kinds.toByteString())).build();
  }

  private LayerReply read(LayerRequest request) throws IOException, StorageException {
    if (request.getLength() < 0 || request.getLength() > MOST_READ) {
      throw new StorageException(
          ErrorCode.INVALID, "length: at most " + MOST_READ + ": " + request.getLength());
    }
    ByteBuffer bytes = ByteBuffer.allocate((int) request.getLength());
    transfer.read(request.getImage(), request.getOffset(), bytes);
    return LayerReply.newBuilder().setData(UnsafeByteOperations.unsafeWrap(bytes.clear())).build();
  }

  private static ByteBuffer direct(ByteString data) {
    ByteBuffer bytes = ByteBuffer.allocateDirect(data.size());
    data.copyTo(bytes);
    return bytes.flip();
  }

  static LayerMetadata meta(LayerMeta meta) {
    return LayerMetadata.newBuilder()
        .setParent(meta.parent() == null ? "" : meta.parent())
        .setRemoved(meta.removed())
        .setUserCreated(meta.userCreated())
        .setCreated(meta.created() == null ? "" : meta.created())
        .putAllLabels(meta.labels() == null ? Map.of() : meta.labels())
        .build();
  }

  private static LayerMeta meta(LayerMetadata meta) {
    return new LayerMeta(
        "",
        meta.getParent(),
        meta.getRemoved(),
        meta.getUserCreated(),
        meta.getCreated(),
        meta.getLabelsCount() == 0 ? null : Map.copyOf(meta.getLabelsMap()));
  }
}
