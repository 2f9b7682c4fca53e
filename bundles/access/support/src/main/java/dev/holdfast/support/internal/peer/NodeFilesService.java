package dev.holdfast.support.internal.peer;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.RpcErrors;
import dev.holdfast.support.internal.pack.EntrySink;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import java.io.IOException;
import java.util.concurrent.ExecutorService;

/** Sends files of this node to the calling node. Only members of the cluster can call it. */
public final class NodeFilesService implements BindableService {
  private final Source support;
  private final Source audit;
  private final ExecutorService threads;

  /**
   * Creates the service.
   *
   * @param support source of the files of a support bundle
   * @param audit source of the events of the audit log
   * @param threads threads that collect and send files
   */
  public NodeFilesService(Source support, Source audit, ExecutorService threads) {
    this.support = support;
    this.audit = audit;
    this.threads = threads;
  }

  /** Collects files for a request. */
  @FunctionalInterface
  public interface Source {
    /**
     * Collects the files.
     *
     * @param request JSON
     * @throws StorageException the error that the caller receives
     * @throws IOException if a file cannot be read, or the receiver has disconnected
     */
    void collect(byte[] request, EntrySink sink) throws StorageException, IOException;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return ServerServiceDefinition.builder(NodeFileCalls.SERVICE)
        .addMethod(NodeFileCalls.SUPPORT, handler(NodeFileCalls.SUPPORT, support))
        .addMethod(NodeFileCalls.AUDIT, handler(NodeFileCalls.AUDIT, audit))
        .build();
  }

  private io.grpc.ServerCallHandler<byte[], byte[]> handler(
      MethodDescriptor<byte[], byte[]> method, Source source) {
    return ServerCalls.asyncServerStreamingCall(
        (request, observer) -> {
          ServerCallStreamObserver<byte[]> call = (ServerCallStreamObserver<byte[]>) observer;
          PacedReply reply = new PacedReply(call);
          threads.execute(() -> send(method, source, request, reply, call));
        });
  }

  private static void send(
      MethodDescriptor<byte[], byte[]> method,
      Source source,
      byte[] request,
      PacedReply reply,
      ServerCallStreamObserver<byte[]> call) {
    try {
      source.collect(request, reply::file);
      call.onCompleted();
    } catch (StorageException e) {
      call.onError(RpcErrors.toStatus(e));
    } catch (IOException | RuntimeException e) {
      call.onError(
          RpcErrors.toStatus(
              new StorageException(
                  ErrorCode.IO, method.getBareMethodName() + ": " + e.getMessage(), e)));
    }
  }
}
