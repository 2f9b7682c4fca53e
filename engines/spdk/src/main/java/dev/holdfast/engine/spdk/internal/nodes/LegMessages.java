package dev.holdfast.engine.spdk.internal.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.TypeFactory;
import com.google.protobuf.ByteString;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.spdk.internal.calls.TargetListener;
import dev.holdfast.engine.spdk.internal.replica.LegFormat;
import dev.holdfast.engine.spdk.internal.replica.LegKey;
import dev.holdfast.engine.spdk.internal.replica.LegRecord;
import dev.holdfast.engine.spdk.internal.replica.LegShown;
import dev.holdfast.engine.spdk.internal.replica.LegToken;
import dev.holdfast.engine.spdk.internal.replica.LegView;
import dev.holdfast.engine.spdk.rpc.ExposeReply;
import dev.holdfast.engine.spdk.rpc.Leg;
import dev.holdfast.engine.spdk.rpc.Record;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Path;

/** Calls about replicas as messages. */
final class LegMessages {
  // With a type factory of its own, the shared library keeps no class of this bundle.
  private static final ObjectMapper JSON =
      new ObjectMapper().setTypeFactory(TypeFactory.defaultInstance().withClassLoader(null));

  private LegMessages() {}

  static Leg write(LegKey key) {
    return Leg.newBuilder()
        .setVolume(key.location().volume())
        .setReplica(key.location().replica())
        .setNode(key.location().nodeId())
        .setDiskPath(key.location().diskPath().toString())
        .setDirectory(key.location().directoryName())
        .setStore(key.store())
        .setIdentity(key.identity())
        .setGeneration(key.token().generation())
        .setSession(key.token().session())
        .build();
  }

  /**
   * Reads the subject of a call.
   *
   * @throws StorageException INVALID, naming what is wrong
   */
  static LegKey read(Leg leg) throws StorageException {
    try {
      return new LegKey(
          new ReplicaLocation(
              leg.getVolume(),
              leg.getReplica(),
              new DiskLocation(
                  leg.getNode(), "", DiskKind.DEVICE, Path.of(leg.getDiskPath()).normalize()),
              leg.getDirectory(),
              false),
          leg.getStore(),
          leg.getIdentity(),
          new LegToken(leg.getGeneration(), leg.getSession()));
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, "call about replica " + leg.getReplica() + ": " + e.getMessage(), e);
    }
  }

  static Record write(LegView view) {
    return Record.newBuilder().setStore(view.store()).setRecord(bytes(view.record())).build();
  }

  static LegView read(String what, Record record) throws StorageException {
    return new LegView(record.getStore(), record(what, record.getRecord()));
  }

  static ByteString bytes(LegRecord record) {
    return ByteString.copyFrom(LegFormat.write(record));
  }

  static LegRecord record(String what, ByteString bytes) throws StorageException {
    return LegFormat.read("record of " + what, bytes.toByteArray());
  }

  static ExposeReply write(LegShown shown) {
    return ExposeReply.newBuilder()
        .setNqn(shown.nqn())
        .setAddress(shown.listener().host())
        .setPort(shown.listener().port())
        .build();
  }

  static LegShown read(ExposeReply reply) {
    return new LegShown(reply.getNqn(), new TargetListener(reply.getAddress(), reply.getPort()));
  }

  static JsonNode json(String what, String text) throws StorageException {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new StorageException(ErrorCode.INVALID, what + ": is not JSON", e);
    }
  }

  static ObjectNode object(String what, String text) throws StorageException {
    if (json(what, text) instanceof ObjectNode object) {
      return object;
    }
    throw new StorageException(ErrorCode.INVALID, what + ": is not a JSON object");
  }
}
