package dev.holdfast.engine.spdk.internal.nodes;

import dev.holdfast.engine.spdk.internal.replica.LegHost;
import dev.holdfast.engine.spdk.internal.replica.LegKey;
import dev.holdfast.engine.spdk.internal.replica.LegNode;
import dev.holdfast.engine.spdk.rpc.AttachSourceReply;
import dev.holdfast.engine.spdk.rpc.AttachSourceRequest;
import dev.holdfast.engine.spdk.rpc.CallReply;
import dev.holdfast.engine.spdk.rpc.CallRequest;
import dev.holdfast.engine.spdk.rpc.Done;
import dev.holdfast.engine.spdk.rpc.ExposeReply;
import dev.holdfast.engine.spdk.rpc.ExposeRequest;
import dev.holdfast.engine.spdk.rpc.HideRequest;
import dev.holdfast.engine.spdk.rpc.Leg;
import dev.holdfast.engine.spdk.rpc.Record;
import dev.holdfast.engine.spdk.rpc.SpdkNodesGrpc;
import dev.holdfast.engine.spdk.rpc.WriteRequest;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.stub.StreamObserver;
import java.time.Duration;

/** Serves the replicas of this node to the engines of other nodes. Thread-safe. */
public final class LegServer extends SpdkNodesGrpc.SpdkNodesImplBase {
  /** Longest time of a call of the target. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final LegNode node;

  /** Serves the replicas of a node. */
  public LegServer(LegNode node) {
    this.node = node;
  }

  /** Work for a call. */
  private interface Work<T> {
    T run() throws StorageException;
  }

  private static <T> void answer(StreamObserver<T> observer, Work<T> work) {
    T reply;
    try {
      reply = work.run();
    } catch (StorageException e) {
      observer.onError(RpcErrors.toStatus(e));
      return;
    }
    observer.onNext(reply);
    observer.onCompleted();
  }

  @Override
  public void look(Leg request, StreamObserver<Record> observer) {
    answer(observer, () -> LegMessages.write(node.look(LegMessages.read(request))));
  }

  @Override
  public void fence(Leg request, StreamObserver<Record> observer) {
    answer(observer, () -> LegMessages.write(node.fence(LegMessages.read(request))));
  }

  @Override
  public void write(WriteRequest request, StreamObserver<Done> observer) {
    answer(
        observer,
        () -> {
          LegKey key = LegMessages.read(request.getLeg());
          node.write(key, LegMessages.record(key.location().replica(), request.getRecord()));
          return Done.getDefaultInstance();
        });
  }

  @Override
  public void expose(ExposeRequest request, StreamObserver<ExposeReply> observer) {
    answer(
        observer,
        () ->
            LegMessages.write(
                node.expose(
                    LegMessages.read(request.getLeg()),
                    request.getLvol(),
                    new LegHost(request.getHost(), request.getKey(), request.getControllerKey()))));
  }

  @Override
  public void hide(HideRequest request, StreamObserver<Done> observer) {
    answer(
        observer,
        () -> {
          node.hide(LegMessages.read(request.getLeg()), request.getLvol());
          return Done.getDefaultInstance();
        });
  }

  @Override
  public void end(Leg request, StreamObserver<Done> observer) {
    answer(
        observer,
        () -> {
          node.end(LegMessages.read(request));
          return Done.getDefaultInstance();
        });
  }

  @Override
  public void attachSource(
      AttachSourceRequest request, StreamObserver<AttachSourceReply> observer) {
    answer(
        observer,
        () ->
            AttachSourceReply.newBuilder()
                .setDevice(
                    node.attachSource(
                        LegMessages.read(request.getLeg()),
                        LegMessages.read(request.getSource()),
                        new LegHost(
                            request.getHost(), request.getKey(), request.getControllerKey())))
                .build());
  }

  @Override
  public void detachSource(Leg request, StreamObserver<Done> observer) {
    answer(
        observer,
        () -> {
          node.detachSource(LegMessages.read(request));
          return Done.getDefaultInstance();
        });
  }

  @Override
  public void call(CallRequest request, StreamObserver<CallReply> observer) {
    answer(
        observer,
        () -> {
          LegKey key = LegMessages.read(request.getLeg());
          String method = request.getMethod();
          return CallReply.newBuilder()
              .setResult(
                  node.call(
                          key,
                          method,
                          LegMessages.object("parameters of " + method, request.getParams()),
                          PATIENCE)
                      .toString())
              .build();
        });
  }
}
