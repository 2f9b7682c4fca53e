package dev.holdfast.engine.sparse.internal.replica;

import static java.nio.charset.StandardCharsets.UTF_8;

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
      case CHECKSUM -> checksum(request);
      case REGION_SUMS -> regionSums(request);
      case KEPT_SUMS -> bytes(transfer.keptSums(image));
      case JOIN -> done(() -> chain.join(request.getNamesList(), request.getLength()));
      case BEGIN -> done(() -> transfer.begin(image, request.getLength()));
      case WRITE ->
          done(() -> transfer.write(image, request.getOffset(), direct(request.getData())));
      case PUNCH -> done(() -> transfer.punch(image, request.getOffset(), request.getLength()));
      case COMPLETE -> done(() -> transfer.complete(image, meta(request.getMeta())));
      case DISCARD -> done(() -> transfer.discard(image));
      case FINISH -> done(() -> chain.setRebuilding(false));
      case REMEMBER ->
          done(() -> transfer.rememberChecksum(image, request.getData().toString(UTF_8)));
      case KEEP_SUMS -> done(() -> transfer.keepSums(image, request.getData().toByteArray()));
      case REPAIR -> done(() -> repair(request));
      case MISSED, REPLACE_MISSED, FORGET_MISSED, OFFER, KIND_UNSPECIFIED, UNRECOGNIZED ->
          throw new StorageException(
              ErrorCode.UNSUPPORTED, "kind: this replica does not know " + request.getKind());
    };
  }

  /** A request whose reply is empty. */
  @FunctionalInterface
  private interface Change {
    void make() throws IOException, StorageException;
  }

  private static LayerReply done(Change change) throws IOException, StorageException {
    change.make();
    return DONE;
  }

  private LayerReply checksum(LayerRequest request) throws IOException, StorageException {
    return LayerReply.newBuilder()
        .setChecksum(
            transfer.checksum(
                request.getImage(), request.getOffset(), request.getLength(), bytes -> {}))
        .build();
  }

  private LayerReply regionSums(LayerRequest request) throws IOException, StorageException {
    long end = request.getOffset() + request.getLength();
    return bytes(transfer.regionSums(request.getImage(), request.getOffset(), end));
  }

  private void repair(LayerRequest request) throws IOException, StorageException {
    transfer.repair(
        request.getImage(), request.getOffset(), direct(request.getData()), request.getLength());
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
