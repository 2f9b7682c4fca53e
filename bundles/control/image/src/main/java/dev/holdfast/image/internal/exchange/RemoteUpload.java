package dev.holdfast.image.internal.exchange;

import com.google.protobuf.ByteString;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.rpc.ImageExchangeGrpc;
import dev.holdfast.image.rpc.UploadPart;
import dev.holdfast.image.rpc.UploadReply;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.rpc.NodeChannels;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.StatusException;
import io.grpc.stub.BlockingClientCall;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Forwards an upload to the node that has the disk of the image. Thread-safe. */
public final class RemoteUpload {
  private static final int PIECE = 256 << 10;
  private static final long STALL_SECONDS = 60;

  private final NodeChannels channels;

  /** Creates an object that calls nodes by channels. */
  public RemoteUpload(NodeChannels channels) {
    this.channels = channels;
  }

  /**
   * Sends a file, and returns when the node has it.
   *
   * @param size bytes of the file
   * @throws StorageException the failure of the node; UNREACHABLE; TIMEOUT
   * @throws IOException if the body cannot be read
   */
  public void send(BackingImageDataSource source, long size, InputStream body)
      throws StorageException, IOException {
    String node = source.spec().nodeID();
    String what = "image " + source.name() + " on node " + node;
    BlockingClientCall<UploadPart, UploadReply> call =
        ImageExchangeGrpc.newBlockingV2Stub(channels.channel(node)).upload();
    try {
      UploadPart head =
          UploadPart.newBuilder()
              .setImage(source.name())
              .setUuid(source.spec().uuid())
              .setSize(size)
              .build();
      boolean open = call.write(head, STALL_SECONDS, TimeUnit.SECONDS);
      byte[] piece = new byte[PIECE];
      for (int count = body.readNBytes(piece, 0, PIECE);
          open && count > 0;
          count = body.readNBytes(piece, 0, PIECE)) {
        UploadPart part =
            UploadPart.newBuilder().setData(ByteString.copyFrom(piece, 0, count)).build();
        open = call.write(part, STALL_SECONDS, TimeUnit.SECONDS);
      }
      call.halfClose();
      if (call.read(STALL_SECONDS, TimeUnit.SECONDS) == null) {
        throw new StorageException(ErrorCode.UNREACHABLE, what + ": the upload was not confirmed");
      }
    } catch (StatusException e) {
      throw RpcErrors.fromStatus(what, e);
    } catch (TimeoutException e) {
      throw new StorageException(
          ErrorCode.TIMEOUT,
          what + ": the receiver accepted no data within " + STALL_SECONDS + " s",
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, what + ": this node stops", e);
    } finally {
      call.cancel("the upload has ended", null);
    }
  }
}
