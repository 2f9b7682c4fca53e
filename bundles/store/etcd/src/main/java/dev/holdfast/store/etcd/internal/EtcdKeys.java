package dev.holdfast.store.etcd.internal;

import com.google.protobuf.ByteString;
import dev.holdfast.error.StorageException;
import dev.holdfast.etcd.v3.KeyValue;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;

/**
 * Keys and values of resources: {@code <prefix><plural>/<name>}, as JSON without the version, which
 * is the key's modification revision. Immutable.
 */
final class EtcdKeys {
  private final String prefix;
  private final ResourceJson json;

  EtcdKeys(String prefix, ResourceJson json) {
    this.prefix = prefix;
    this.json = json;
  }

  ByteString first(ResourceKind<?> kind) {
    return ByteString.copyFromUtf8(prefix + kind.plural() + "/");
  }

  /** Upper bound of the range: '0' follows '/'. */
  ByteString end(ResourceKind<?> kind) {
    return ByteString.copyFromUtf8(prefix + kind.plural() + "0");
  }

  ByteString of(ResourceKind<?> kind, String name) {
    return ByteString.copyFromUtf8(prefix + kind.plural() + "/" + name);
  }

  ByteString encode(Resource<?> resource) {
    return ByteString.copyFromUtf8(json.encode(resource));
  }

  <R extends Resource<R>> R decode(ResourceKind<R> kind, KeyValue value, long version)
      throws StorageException {
    R resource = json.decode(kind, value.getValue().toStringUtf8(), ResourceJson.Mode.LENIENT);
    return resource.withMetadata(resource.metadata().withResourceVersion(Long.toString(version)));
  }
}
