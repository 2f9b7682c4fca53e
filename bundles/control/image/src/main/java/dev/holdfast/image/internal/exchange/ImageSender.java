package dev.holdfast.image.internal.exchange;

import com.google.protobuf.ByteString;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.engine.BaseEngine;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.image.internal.content.ImageContent;
import dev.holdfast.image.internal.content.StoredContent;
import dev.holdfast.image.internal.disk.BaseEngines;
import dev.holdfast.image.internal.disk.ImageDisk;
import dev.holdfast.image.internal.transfer.ImageTransfers;
import dev.holdfast.image.internal.transfer.Uploads;
import dev.holdfast.image.rpc.ContentPart;
import dev.holdfast.image.rpc.ImageExchangeGrpc;
import dev.holdfast.image.rpc.MapPart;
import dev.holdfast.image.rpc.MapRequest;
import dev.holdfast.image.rpc.SendRequest;
import dev.holdfast.image.rpc.UploadPart;
import dev.holdfast.image.rpc.UploadReply;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.node.Node;
import dev.holdfast.rpc.CallerNode;
import dev.holdfast.rpc.PeerNodes;
import dev.holdfast.rpc.RpcErrors;
import dev.holdfast.store.ResourceStore;
import io.grpc.BindableService;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;

/**
 * Sends images of this node's disks to other nodes, and receives uploads that they forward.
 * Thread-safe.
 */
@Component(service = BindableService.class)
public final class ImageSender extends ImageExchangeGrpc.ImageExchangeImplBase {
  private static final int MAP_PIECE = 1 << 20;

  private final ResourceStore store;
  private final InstalledPlugins plugins;
  private final PeerNodes nodes;
  private final Uploads uploads;
  private final SendLeases leases = new SendLeases();
  private final ExecutorService executor =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "image-send");
            thread.setDaemon(true);
            return thread;
          });

  /** Creates the service. */
  @Activate
  public ImageSender(
      @Reference ResourceStore store,
      @Reference InstalledPlugins plugins,
      @Reference PeerNodes nodes,
      @Reference ImageTransfers transfers) {
    this.store = store;
    this.uploads = new Uploads(store, transfers);
    this.plugins = plugins;
    this.nodes = nodes;
  }

  @Override
  public void send(SendRequest request, StreamObserver<ContentPart> observer) {
    RunningSend send = new RunningSend(request, (ServerCallStreamObserver<ContentPart>) observer);
    try {
      requireRange(request);
      ImageContent content =
          content(
              request.getImage(),
              request.getUuid(),
              request.getDiskUuid(),
              request.getContentChecksum());
      String file = request.getImage() + "-" + request.getUuid() + "@" + request.getDiskUuid();
      String receiver = CallerNode.current() + "/" + request.getReceiver();
      executor.execute(send.from(content, leases.acquire(file, receiver, send::end)));
    } catch (StorageException e) {
      observer.onError(RpcErrors.toStatus(e));
    }
  }

  @Override
  public StreamObserver<UploadPart> upload(StreamObserver<UploadReply> observer) {
    return new UploadReception(
        uploads, nodes.self(), executor, (ServerCallStreamObserver<UploadReply>) observer);
  }

  @Override
  public void map(MapRequest request, StreamObserver<MapPart> observer) {
    executor.execute(
        () -> {
          try {
            byte[] bits =
                content(
                        request.getImage(),
                        request.getUuid(),
                        request.getDiskUuid(),
                        request.getContentChecksum())
                    .dataClusters(request.getSize(), request.getCluster())
                    .toByteArray();
            for (int at = 0; at < bits.length; at += MAP_PIECE) {
              ByteString piece =
                  ByteString.copyFrom(bits, at, Math.min(MAP_PIECE, bits.length - at));
              observer.onNext(MapPart.newBuilder().setBits(piece).build());
            }
            observer.onCompleted();
          } catch (StorageException e) {
            observer.onError(RpcErrors.toStatus(e));
          }
        });
  }

  private static void requireRange(SendRequest request) throws StorageException {
    if (request.getOffset() < 0 || request.getLength() <= 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "image "
              + request.getImage()
              + ": a range is required: offset "
              + request.getOffset()
              + ", length "
              + request.getLength());
    }
  }

  /**
   * Returns the content, which is opened at the first read. The engine refuses content with another
   * checksum.
   */
  private ImageContent content(String name, String uuid, String diskUuid, String checksum)
      throws StorageException {
    if (checksum.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID, "image " + name + ": content_checksum: a value is required");
    }
    BackingImage image =
        store
            .get(BackingImage.KIND, name)
            .filter(found -> found.status().uuid().equals(uuid))
            .orElseThrow(() -> missing(name, uuid, "is not known here"));
    ImageDisk disk =
        store
            .get(Node.KIND, nodes.self())
            .flatMap(node -> ImageDisk.find(node, diskUuid))
            .orElseThrow(
                () -> missing(name, uuid, "is not on a disk " + diskUuid + " of " + nodes.self()));
    BaseEngine engine = BaseEngines.find(plugins, image.spec().dataEngine(), nodes.self());
    return new StoredContent(engine, disk.base(name, uuid, nodes.self(), checksum));
  }

  private static StorageException missing(String name, String uuid, String why) {
    return new StorageException(ErrorCode.NOT_FOUND, "image " + name + " " + uuid + " " + why);
  }

  /** Ends all sending. */
  @Deactivate
  public void stop() {
    leases.endAll();
    executor.shutdownNow();
  }
}
