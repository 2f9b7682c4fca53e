package dev.holdfast.image.internal.exchange;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.transfer.Uploads;
import dev.holdfast.image.rpc.UploadPart;
import dev.holdfast.image.rpc.UploadReply;
import dev.holdfast.resource.image.BackingImageDataSource;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One upload that another node forwards. Its first message names the image. */
final class UploadReception implements StreamObserver<UploadPart> {
  private static final Logger LOG = LoggerFactory.getLogger(UploadReception.class);

  private final Uploads uploads;
  private final String here;
  private final Executor executor;
  private final ServerCallStreamObserver<UploadReply> sender;
  private final ReceivedBody body;
  private boolean begun;

  UploadReception(
      Uploads uploads,
      String here,
      Executor executor,
      ServerCallStreamObserver<UploadReply> sender) {
    this.uploads = uploads;
    this.here = here;
    this.executor = executor;
    this.sender = sender;
    this.body = new ReceivedBody(() -> sender.request(1));
    sender.disableAutoRequest();
    sender.setOnCancelHandler(() -> body.end("the node that passes the upload on left"));
    sender.request(1);
  }

  @Override
  public void onNext(UploadPart part) {
    if (begun) {
      body.add(part.getData());
    } else {
      begun = true;
      executor.execute(() -> receive(part));
    }
  }

  private void receive(UploadPart head) {
    try {
      BackingImageDataSource source = uploads.awaited(head.getImage());
      if (!source.spec().uuid().equals(head.getUuid()) || !source.spec().nodeID().equals(here)) {
        throw new StorageException(
            ErrorCode.CONFLICT,
            "image "
                + head.getImage()
                + " is received by node "
                + source.spec().nodeID()
                + " now: upload it again");
      }
      uploads.receive(source, head.getSize(), body);
      sender.onNext(UploadReply.getDefaultInstance());
      sender.onCompleted();
    } catch (StorageException e) {
      sender.onError(RpcErrors.toStatus(e));
    } catch (RuntimeException e) {
      LOG.error("image {}: the upload failed", head.getImage(), e);
      sender.onError(
          RpcErrors.toStatus(new StorageException(ErrorCode.INTERNAL, "upload failed: " + e, e)));
    }
  }

  @Override
  public void onError(Throwable failure) {
    body.end("the node that passes the upload on left");
  }

  @Override
  public void onCompleted() {
    body.end("");
  }
}
