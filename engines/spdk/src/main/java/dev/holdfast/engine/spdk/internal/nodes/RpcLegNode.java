package dev.holdfast.engine.spdk.internal.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.internal.replica.LegHost;
import dev.holdfast.engine.spdk.internal.replica.LegKey;
import dev.holdfast.engine.spdk.internal.replica.LegNode;
import dev.holdfast.engine.spdk.internal.replica.LegRecord;
import dev.holdfast.engine.spdk.internal.replica.LegShown;
import dev.holdfast.engine.spdk.internal.replica.LegView;
import dev.holdfast.engine.spdk.rpc.AttachSourceRequest;
import dev.holdfast.engine.spdk.rpc.CallRequest;
import dev.holdfast.engine.spdk.rpc.Done;
import dev.holdfast.engine.spdk.rpc.ExposeReply;
import dev.holdfast.engine.spdk.rpc.ExposeRequest;
import dev.holdfast.engine.spdk.rpc.HideRequest;
import dev.holdfast.engine.spdk.rpc.SpdkNodesGrpc;
import dev.holdfast.engine.spdk.rpc.SpdkNodesGrpc.SpdkNodesBlockingStub;
import dev.holdfast.engine.spdk.rpc.WriteRequest;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.Channel;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Another node with replicas. Thread-safe. */
final class RpcLegNode implements LegNode {
  private static final Duration USUAL = Duration.ofSeconds(20);

  /** A fence waits for the calls of the opening that it ends, and for requests in flight. */
  private static final Duration FENCING = LegServer.PATIENCE.multipliedBy(3);

  /** A channel to the node. */
  interface Way {
    /** Returns the channel; UNREACHABLE without one. */
    Channel channel() throws StorageException;
  }

  private final String name;
  private final Way way;
  private final Duration quick;

  /**
   * Creates a node.
   *
   * @param quick longest time of calls that tell whether it is reachable
   */
  RpcLegNode(String name, Way way, Duration quick) {
    this.name = name;
    this.way = way;
    this.quick = quick;
  }

  /** A call. */
  private interface Call<T> {
    T run(SpdkNodesBlockingStub stub);
  }

  private <T> T call(LegKey key, Duration limit, Call<T> call) throws StorageException {
    Channel channel = way.channel();
    try {
      return call.run(
          SpdkNodesGrpc.newBlockingStub(channel)
              .withDeadlineAfter(limit.toMillis(), TimeUnit.MILLISECONDS));
    } catch (StatusRuntimeException e) {
      throw RpcErrors.fromStatus("replica " + key.location().replica() + " on node " + name, e);
    }
  }

  @Override
  public LegView look(LegKey key) throws StorageException {
    return LegMessages.read(
        key.location().replica(), call(key, quick, stub -> stub.look(LegMessages.write(key))));
  }

  @Override
  public LegView fence(LegKey key) throws StorageException {
    return LegMessages.read(
        key.location().replica(), call(key, FENCING, stub -> stub.fence(LegMessages.write(key))));
  }

  @Override
  public void write(LegKey key, LegRecord record) throws StorageException {
    WriteRequest request =
        WriteRequest.newBuilder()
            .setLeg(LegMessages.write(key))
            .setRecord(LegMessages.bytes(record))
            .build();
    Done unused = call(key, USUAL, stub -> stub.write(request));
  }

  @Override
  public LegShown expose(LegKey key, String lvol, LegHost host) throws StorageException {
    ExposeRequest request =
        ExposeRequest.newBuilder()
            .setLeg(LegMessages.write(key))
            .setLvol(lvol)
            .setHost(host.nqn())
            .setKey(host.key())
            .setControllerKey(host.controllerKey())
            .build();
    ExposeReply reply = call(key, quick, stub -> stub.expose(request));
    return LegMessages.read(reply);
  }

  @Override
  public void hide(LegKey key, String lvol) throws StorageException {
    HideRequest request =
        HideRequest.newBuilder().setLeg(LegMessages.write(key)).setLvol(lvol).build();
    Done unused = call(key, USUAL, stub -> stub.hide(request));
  }

  @Override
  public String attachSource(LegKey key, LegShown source, LegHost host) throws StorageException {
    AttachSourceRequest request =
        AttachSourceRequest.newBuilder()
            .setLeg(LegMessages.write(key))
            .setSource(LegMessages.write(source))
            .setHost(host.nqn())
            .setKey(host.key())
            .setControllerKey(host.controllerKey())
            .build();
    return call(key, USUAL, stub -> stub.attachSource(request)).getDevice();
  }

  @Override
  public void detachSource(LegKey key) throws StorageException {
    Done unused = call(key, USUAL, stub -> stub.detachSource(LegMessages.write(key)));
  }

  @Override
  public void end(LegKey key) throws StorageException {
    Done unused = call(key, USUAL, stub -> stub.end(LegMessages.write(key)));
  }

  @Override
  public JsonNode call(LegKey key, String method, ObjectNode params, Duration patience)
      throws StorageException {
    CallRequest request =
        CallRequest.newBuilder()
            .setLeg(LegMessages.write(key))
            .setMethod(method)
            .setParams(params.toString())
            .build();
    return LegMessages.json(
        "answer of " + method,
        call(key, patience.plus(quick), stub -> stub.call(request)).getResult());
  }
}
