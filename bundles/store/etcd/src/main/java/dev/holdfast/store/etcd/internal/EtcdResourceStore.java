package dev.holdfast.store.etcd.internal;

import com.google.protobuf.ByteString;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.etcd.v3.Compare;
import dev.holdfast.etcd.v3.DeleteRangeRequest;
import dev.holdfast.etcd.v3.KeyValue;
import dev.holdfast.etcd.v3.PutRequest;
import dev.holdfast.etcd.v3.RangeRequest;
import dev.holdfast.etcd.v3.RangeResponse;
import dev.holdfast.etcd.v3.RequestOp;
import dev.holdfast.etcd.v3.TxnRequest;
import dev.holdfast.etcd.v3.TxnResponse;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchListener;
import dev.holdfast.store.runtime.Transition;
import dev.holdfast.store.runtime.Versions;
import dev.holdfast.store.runtime.WriteRules;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Resources in etcd, each under a separate key; etcd's revisions are the versions. A write reads,
 * decides by the same rules as every store, and succeeds only if the key is unchanged since the
 * read. Nothing is cached. Thread-safe; each watch has a separate thread.
 */
final class EtcdResourceStore implements ResourceStore, AutoCloseable {
  private static final int PAGE = 100;
  private static final int LISTINGS = 3;

  private final EtcdConnection connection;
  private final EtcdKeys keys;
  private final WriteRules rules;
  private final Set<Watch> watches = ConcurrentHashMap.newKeySet();

  /** Prepares a store; connects at the first use. */
  EtcdResourceStore(EtcdConnection connection, String prefix, Clock clock) {
    ResourceJson json = new ResourceJson();
    this.connection = connection;
    this.keys = new EtcdKeys(prefix, json);
    this.rules = new WriteRules(json, clock, () -> UUID.randomUUID().toString());
  }

  /** The value of a key, with the revision of its last change. */
  private record Stored<R extends Resource<R>>(R resource, long revision) {}

  private <R extends Resource<R>> Optional<Stored<R>> read(ResourceKind<R> kind, String name)
      throws StorageException {
    RangeResponse answer =
        connection.range(RangeRequest.newBuilder().setKey(keys.of(kind, name)).build());
    if (answer.getKvsCount() == 0) {
      return Optional.empty();
    }
    KeyValue value = answer.getKvs(0);
    long revision = value.getModRevision();
    return Optional.of(new Stored<>(keys.decode(kind, value, revision), revision));
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    return read(kind, name).map(Stored::resource);
  }

  @Override
  public <R extends Resource<R>> ResourceList<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException {
    for (int i = 1; i < LISTINGS; i++) {
      try {
        return listOnce(kind, selector);
      } catch (StorageException e) {
        // The revision of the first page was compacted before the last page was read: start again
        // at a new revision.
        if (e.code() != ErrorCode.EXPIRED) {
          throw e;
        }
      }
    }
    return listOnce(kind, selector);
  }

  private <R extends Resource<R>> ResourceList<R> listOnce(
      ResourceKind<R> kind, LabelSelector selector) throws StorageException {
    List<R> items = new ArrayList<>();
    RangeRequest.Builder request =
        RangeRequest.newBuilder()
            .setKey(keys.first(kind))
            .setRangeEnd(keys.end(kind))
            .setLimit(PAGE);
    while (true) {
      RangeResponse page = connection.range(request.build());
      for (KeyValue value : page.getKvsList()) {
        R item = keys.decode(kind, value, value.getModRevision());
        if (selector.matches(item.metadata())) {
          items.add(item);
        }
      }
      if (request.getRevision() == 0) {
        request.setRevision(page.getHeader().getRevision());
      }
      if (!page.getMore()) {
        return new ResourceList<>(items, Long.toString(request.getRevision()));
      }
      ByteString last = page.getKvs(page.getKvsCount() - 1).getKey();
      request.setKey(last.concat(ByteString.copyFrom(new byte[] {0})));
    }
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    return write(resource.resourceKind(), resource.name(), stored -> rules.create(stored, resource))
        .resource();
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    return write(resource.resourceKind(), resource.name(), stored -> rules.update(stored, resource))
        .resource();
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    return write(
            resource.resourceKind(),
            resource.name(),
            stored -> rules.updateStatus(stored, resource))
        .resource();
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    return write(kind, name, stored -> rules.delete(stored, kind, name, uid)).remaining();
  }

  private interface Rule<R extends Resource<R>> {
    Transition<R> decide(Optional<R> stored) throws StorageException;
  }

  /** Repeats the rules after each concurrent change. */
  private <R extends Resource<R>> Transition<R> write(
      ResourceKind<R> kind, String name, Rule<R> rule) throws StorageException {
    while (true) {
      Optional<Stored<R>> stored = read(kind, name);
      Transition<R> decided = rule.decide(stored.map(Stored::resource));
      if (decided.change().isEmpty()) {
        return decided;
      }
      TxnResponse answer =
          connection.transact(
              TxnRequest.newBuilder()
                  .addCompare(isAt(keys.of(kind, name), stored.map(Stored::revision).orElse(0L)))
                  .addSuccess(operation(keys.of(kind, name), decided))
                  .build());
      if (answer.getSucceeded()) {
        return decided.withVersion(answer.getHeader().getRevision());
      }
    }
  }

  private static Compare isAt(ByteString key, long revision) {
    return Compare.newBuilder()
        .setResult(Compare.CompareResult.EQUAL)
        .setTarget(Compare.CompareTarget.MOD)
        .setKey(key)
        .setModRevision(revision)
        .build();
  }

  private RequestOp operation(ByteString key, Transition<?> decided) {
    RequestOp.Builder operation = RequestOp.newBuilder();
    if (decided.remaining().isEmpty()) {
      return operation.setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(key)).build();
    }
    Resource<?> resource = decided.resource();
    return operation
        .setRequestPut(PutRequest.newBuilder().setKey(key).setValue(keys.encode(resource)))
        .build();
  }

  @Override
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    long version = Versions.parse(resourceVersion);
    requireKept(kind, version);
    EtcdWatch<R> running = new EtcdWatch<>(kind, keys, listener, watches::remove);
    watches.add(running);
    running.start(connection, version);
    return running;
  }

  /** etcd itself reports whether a revision is in the future or compacted. */
  private void requireKept(ResourceKind<?> kind, long version) throws StorageException {
    if (version == 0) {
      throw new StorageException(ErrorCode.EXPIRED, "etcd's revisions begin at 1; list again");
    }
    connection.range(
        RangeRequest.newBuilder()
            .setKey(keys.first(kind))
            .setRangeEnd(keys.end(kind))
            .setRevision(version)
            .setCountOnly(true)
            .build());
  }

  /** Ends all watches and closes the connection; the store must not be used afterwards. */
  @Override
  public void close() {
    watches.forEach(Watch::close);
    connection.close();
  }
}
