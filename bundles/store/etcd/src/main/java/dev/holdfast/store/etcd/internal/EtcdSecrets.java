package dev.holdfast.store.etcd.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.etcd.v3.Compare;
import dev.holdfast.etcd.v3.PutRequest;
import dev.holdfast.etcd.v3.RangeRequest;
import dev.holdfast.etcd.v3.RequestOp;
import dev.holdfast.etcd.v3.TxnRequest;
import dev.holdfast.etcd.v3.TxnResponse;
import dev.holdfast.store.SharedSecrets;
import java.util.Map;

/** Secrets of the cluster under separate keys, {@code <prefix>secrets/<name>}, as JSON. */
final class EtcdSecrets implements SharedSecrets {
  private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};

  private final EtcdConnection connection;
  private final String prefix;
  private final ObjectMapper mapper = new ObjectMapper();

  EtcdSecrets(EtcdConnection connection, String prefix) {
    this.connection = connection;
    this.prefix = prefix;
  }

  @Override
  public Map<String, String> agree(String name, Map<String, String> offered)
      throws StorageException {
    ByteString key = ByteString.copyFromUtf8(prefix + "secrets/" + name);
    RequestOp read =
        RequestOp.newBuilder().setRequestRange(RangeRequest.newBuilder().setKey(key)).build();
    RequestOp put =
        RequestOp.newBuilder()
            .setRequestPut(PutRequest.newBuilder().setKey(key).setValue(encode(offered)))
            .build();
    TxnResponse answer =
        connection.transact(
            TxnRequest.newBuilder()
                .addCompare(absent(key))
                .addSuccess(put)
                .addFailure(read)
                .build());
    return answer.getSucceeded()
        ? offered
        : decode(name, answer.getResponses(0).getResponseRange().getKvs(0).getValue());
  }

  private static Compare absent(ByteString key) {
    return Compare.newBuilder()
        .setResult(Compare.CompareResult.EQUAL)
        .setTarget(Compare.CompareTarget.MOD)
        .setKey(key)
        .setModRevision(0)
        .build();
  }

  private ByteString encode(Map<String, String> texts) {
    try {
      return ByteString.copyFrom(mapper.writeValueAsBytes(texts));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("texts are always JSON", e);
    }
  }

  private Map<String, String> decode(String name, ByteString value) throws StorageException {
    try {
      return mapper.readValue(value.toStringUtf8(), TEXTS);
    } catch (JsonProcessingException e) {
      // Without the cause, which would contain the secret.
      throw new StorageException(
          ErrorCode.INVALID, "the key " + prefix + "secrets/" + name + " holds no JSON of texts");
    }
  }
}
