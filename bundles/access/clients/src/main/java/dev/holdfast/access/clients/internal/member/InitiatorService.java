package dev.holdfast.access.clients.internal.member;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.certificates.files.InitiatorFolder;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.rpc.CallerNode;
import dev.holdfast.rpc.RpcErrors;
import dev.holdfast.store.ResourceStore;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Gives the secrets of this node's kernel for one volume to the nodes that serve this volume, and
 * only to them. Thread-safe.
 */
@Component(service = BindableService.class)
public final class InitiatorService implements BindableService {
  private final Path data;
  private final ResourceStore store;

  /** Reads the files of this node's data directory at each call. */
  @Activate
  public InitiatorService(@Reference ResourceStore store, BundleContext bundle) {
    this(store, Path.of(Optional.ofNullable(bundle.getProperty("holdfast.data")).orElse(".")));
  }

  InitiatorService(ResourceStore store, Path data) {
    this.store = store;
    this.data = data;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return ServerServiceDefinition.builder(InitiatorCalls.SERVICE)
        .addMethod(InitiatorCalls.CREDENTIAL, ServerCalls.asyncUnaryCall(this::answer))
        .build();
  }

  private void answer(byte[] request, StreamObserver<byte[]> observer) {
    try {
      String volume = new String(request, StandardCharsets.UTF_8);
      byte[] reply = credential(volume, CallerNode.current()).getBytes(StandardCharsets.UTF_8);
      observer.onNext(reply);
      observer.onCompleted();
    } catch (StorageException e) {
      observer.onError(RpcErrors.toStatus(e));
    }
  }

  private String credential(String volume, String caller) throws StorageException {
    Volume found =
        store
            .get(Volume.KIND, volume)
            .orElseThrow(
                () ->
                    new StorageException(ErrorCode.NOT_FOUND, "volume " + volume + ": not found"));
    if (!serves(caller, found)) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          "volume " + volume + ": node " + caller + " does not serve it, and gets no secret of it");
    }
    InitiatorFolder folder = InitiatorFolder.ofNode(data).orElseThrow(() -> unused(volume));
    return folder.read(volume).map(InitiatorCredential::text).orElseThrow(() -> unused(volume));
  }

  private static StorageException unused(String volume) {
    return new StorageException(
        ErrorCode.NOT_FOUND, "volume " + volume + ": the kernel of this node does not use it");
  }

  private static boolean serves(String node, Volume volume) {
    return node.equals(volume.spec().nodeID())
        || node.equals(volume.spec().migrationNodeID())
        || node.equals(volume.status().currentNodeID())
        || node.equals(volume.status().currentMigrationNodeID())
        || volume.spec().servingNodeIDs().contains(node);
  }
}
