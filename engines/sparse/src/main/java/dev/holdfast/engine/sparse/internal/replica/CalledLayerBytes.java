package dev.holdfast.engine.sparse.internal.replica;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.engine.sparse.rpc.LayerRequest.Kind;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;

/** Access to the bytes of a layer by control calls, which every release supports. */
public final class CalledLayerBytes implements LayerBytes {
  /** One step of a layer copy. */
  @FunctionalInterface
  public interface Call {
    LayerReply layer(LayerRequest request) throws StorageException;
  }

  private final Call call;
  private final String image;

  public CalledLayerBytes(Call call, String image) {
    this.call = call;
    this.image = image;
  }

  private LayerRequest.Builder ask(Kind kind, long offset) {
    return LayerRequest.newBuilder().setKind(kind).setImage(image).setOffset(offset);
  }

  @Override
  public void read(long offset, ByteBuffer target) throws StorageException {
    ByteString data =
        call.layer(ask(Kind.READ, offset).setLength(target.remaining()).build()).getData();
    if (data.size() != target.remaining()) {
      throw new StorageException(
          ErrorCode.IO, image + ": " + data.size() + " bytes instead of " + target.remaining());
    }
    data.copyTo(target);
  }

  @Override
  public void write(long offset, ByteBuffer source) throws StorageException {
    call.layer(ask(Kind.WRITE, offset).setData(ByteString.copyFrom(source)).build());
  }

  @Override
  public void close() {
    // Holds no resource.
  }
}
