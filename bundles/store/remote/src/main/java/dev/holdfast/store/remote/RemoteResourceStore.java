package dev.holdfast.store.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchListener;
import dev.holdfast.store.runtime.StreamWatch;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/**
 * The store behind an API server. Nothing is cached. Thread-safe; each watch has a separate thread.
 */
public final class RemoteResourceStore implements ResourceStore, AutoCloseable {
  /** Longer than the interval of our API server's heartbeats. */
  private static final Duration SILENCE_LIMIT = Duration.ofSeconds(100);

  private final ResourceJson json = new ResourceJson();
  private final RestClient client;
  private final Set<Watch> watches = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService watchdog =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "store-remote-watchdog");
            thread.setDaemon(true);
            return thread;
          });

  /**
   * Prepares a store; connects at the first use.
   *
   * @throws StorageException INVALID when the CA certificate is malformed
   */
  public RemoteResourceStore(ApiConnection connection) throws StorageException {
    this.client = new RestClient(connection, json);
  }

  /**
   * Prepares a store whose server is trusted by a file, as it is at each connection.
   *
   * @param authorities as PEM; replace those of the connection
   * @throws StorageException INVALID when the file has no certificate; IO
   */
  public RemoteResourceStore(ApiConnection connection, Path authorities) throws StorageException {
    this.client = new RestClient(connection, TrustedAuthorities.context(authorities), json);
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    if (name.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          decode(kind, client.send(kind, "GET", RestClient.path(kind, name), Optional.empty())));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public <R extends Resource<R>> ResourceList<R> list(ResourceKind<R> kind, LabelSelector selector)
      throws StorageException {
    String query =
        selector.requirements().isEmpty()
            ? ""
            : "?labelSelector=" + RestClient.encoded(selector.toString());
    JsonNode list = client.send(kind, "GET", RestClient.path(kind) + query, Optional.empty());
    return new ResourceList<>(
        json.decodeItems(kind, list, ResourceJson.Mode.LENIENT),
        list.path("metadata").path("resourceVersion").asText());
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    ResourceKind<R> kind = resource.resourceKind();
    R unversioned = resource.withMetadata(resource.metadata().withResourceVersion(""));
    String path = RestClient.path(kind) + "?withStatus=true&fieldValidation=Ignore";
    return decode(kind, client.send(kind, "POST", path, Optional.of(json.encode(unversioned))));
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    return replace(resource, "");
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    return replace(resource, "/status");
  }

  private <R extends Resource<R>> R replace(R resource, String subresource)
      throws StorageException {
    ResourceKind<R> kind = resource.resourceKind();
    if (resource.name().isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, kind.kind() + ": metadata.name: required");
    }
    String path = RestClient.path(kind, resource.name()) + subresource + "?fieldValidation=Ignore";
    return decode(kind, client.send(kind, "PUT", path, Optional.of(json.encode(resource))));
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    if (name.isEmpty()) {
      throw new StorageException(ErrorCode.NOT_FOUND, kind.kind() + ": metadata.name: required");
    }
    Optional<String> options = Optional.empty();
    if (!uid.isEmpty()) {
      var body = json.mapper().createObjectNode().put("kind", "DeleteOptions");
      body.put("apiVersion", "v1").putObject("preconditions").put("uid", uid);
      options = Optional.of(json.write(body));
    }
    JsonNode answer = client.send(kind, "DELETE", RestClient.path(kind, name), options);
    return answer.path("kind").asText().equals("Status")
        ? Optional.empty()
        : Optional.of(decode(kind, answer));
  }

  @Override
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    if (resourceVersion.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID, "a watch needs the resourceVersion of a list or an event");
    }
    Watch running =
        StreamWatch.start(
            new Events<>(kind), json, resourceVersion, listener, watchdog, SILENCE_LIMIT);
    watches.add(running);
    return () -> {
      watches.remove(running);
      running.close();
    };
  }

  /** The events of one kind. */
  private final class Events<R extends Resource<R>> implements StreamWatch.Source<R> {
    private final ResourceKind<R> kind;

    Events(ResourceKind<R> kind) {
      this.kind = kind;
    }

    @Override
    public ResourceKind<R> kind() {
      return kind;
    }

    @Override
    public InputStream open(String resourceVersion) throws StorageException {
      String query =
          "?watch=true&allowWatchBookmarks=true&sendInitialEvents=false&resourceVersion="
              + RestClient.encoded(resourceVersion);
      return client.open(kind, RestClient.path(kind) + query);
    }

    @Override
    public R decode(JsonNode object) throws StorageException {
      return RemoteResourceStore.this.decode(kind, object);
    }

    @Override
    public StorageException failure(IOException e) {
      return client.failure(e);
    }
  }

  private <R extends Resource<R>> R decode(ResourceKind<R> kind, JsonNode tree)
      throws StorageException {
    return json.decode(kind, tree, ResourceJson.Mode.LENIENT);
  }

  /** Ends all watches; the store must not be used afterwards. */
  @Override
  public void close() {
    watches.forEach(Watch::close);
    watchdog.shutdownNow();
  }
}
