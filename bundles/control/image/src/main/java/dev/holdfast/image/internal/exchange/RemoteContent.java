package dev.holdfast.image.internal.exchange;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.BaseLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.ContentSink;
import dev.holdfast.image.internal.content.ImageContent;
import dev.holdfast.image.rpc.ContentPart;
import dev.holdfast.image.rpc.ImageExchangeGrpc;
import dev.holdfast.image.rpc.MapPart;
import dev.holdfast.image.rpc.MapRequest;
import dev.holdfast.image.rpc.SendRequest;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.Channel;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.BlockingClientCall;
import java.io.IOException;
import java.util.BitSet;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The content of an image on a disk of another node. For one thread at a time. */
public final class RemoteContent implements ImageContent {
  private static final long STALL_SECONDS = 60;

  private final Channel channel;
  private final SendRequest file;
  private final String what;

  /**
   * Creates an object for the content without a call.
   *
   * @param channel to the node
   * @param node its name
   * @param disk UUID of its disk
   * @param base the image, with the checksum that the content must have
   * @param receiver names the receiver within this node
   */
  public RemoteContent(
      Channel channel, String node, String disk, BaseLocation base, String receiver) {
    this.channel = channel;
    this.what = "image " + base.image() + " of node " + node;
    this.file =
        SendRequest.newBuilder()
            .setImage(base.image())
            .setUuid(base.uuid())
            .setDiskUuid(disk)
            .setContentChecksum(base.contentChecksum())
            .setReceiver(receiver)
            .build();
  }

  @Override
  public void copyTo(long offset, long length, ContentSink sink) throws StorageException {
    SendRequest request = file.toBuilder().setOffset(offset).setLength(length).build();
    BlockingClientCall<?, ContentPart> call =
        ImageExchangeGrpc.newBlockingV2Stub(channel).send(request);
    try {
      long at = offset;
      ContentPart part = call.read(STALL_SECONDS, TimeUnit.SECONDS);
      while (part != null) {
        at = take(part, at, offset + length, sink);
        part = call.read(STALL_SECONDS, TimeUnit.SECONDS);
      }
      if (at != offset + length) {
        throw new StorageException(ErrorCode.UNREACHABLE, what + ": the content ended at " + at);
      }
    } catch (StatusException e) {
      throw RpcErrors.fromStatus(what, e);
    } catch (TimeoutException e) {
      throw new StorageException(
          ErrorCode.TIMEOUT, what + ": no content within " + STALL_SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.TIMEOUT, what + ": this node stops", e);
    } finally {
      call.cancel("the receiver has ended", null);
    }
  }

  @Override
  public BitSet dataClusters(long size, int cluster) throws StorageException {
    MapRequest request =
        MapRequest.newBuilder()
            .setImage(file.getImage())
            .setUuid(file.getUuid())
            .setDiskUuid(file.getDiskUuid())
            .setContentChecksum(file.getContentChecksum())
            .setSize(size)
            .setCluster(cluster)
            .build();
    try {
      ByteString.Output bits = ByteString.newOutput();
      Iterator<MapPart> parts =
          ImageExchangeGrpc.newBlockingStub(channel)
              .withDeadlineAfter(STALL_SECONDS, TimeUnit.SECONDS)
              .map(request);
      while (parts.hasNext()) {
        parts.next().getBits().writeTo(bits);
      }
      return BitSet.valueOf(bits.toByteString().asReadOnlyByteBuffer());
    } catch (StatusRuntimeException e) {
      throw RpcErrors.fromStatus(what, e);
    } catch (IOException e) {
      throw new StorageException(ErrorCode.INTERNAL, what + ": " + e, e);
    }
  }

  private long take(ContentPart part, long at, long end, ContentSink sink) throws StorageException {
    long count =
        part.getContentCase() == ContentPart.ContentCase.DATA
            ? part.getData().size()
            : part.getZeroes();
    if (part.getOffset() != at || count <= 0 || count > end - at) {
      throw new StorageException(
          ErrorCode.INVALID,
          what + ": " + count + " bytes at " + part.getOffset() + " do not fit at " + at);
    }
    if (part.getContentCase() == ContentPart.ContentCase.DATA) {
      sink.data(part.getData().asReadOnlyByteBuffer());
    } else {
      sink.zeroes(count);
    }
    return at + count;
  }
}
