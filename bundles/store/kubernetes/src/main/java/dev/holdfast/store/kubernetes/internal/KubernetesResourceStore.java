package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceList;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.Watch;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.WatchListener;
import dev.holdfast.store.runtime.StreamWatch;
import dev.holdfast.store.runtime.Transition;
import dev.holdfast.store.runtime.Versions;
import dev.holdfast.store.runtime.WriteRules;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Pattern;

/**
 * Resources as custom resources of a Kubernetes API server. A write is decided by the same rules as
 * in every store, from the server's present state. The server accepts it only if that state is
 * unchanged. Nothing is cached. Thread-safe; each watch has a separate thread.
 *
 * <p>The server causes two limits. A status given at creation is written by a second request, and a
 * crash between the two leaves the resource without it. A deletion that waits for finalizers raises
 * the generation. A watch from a version that the server compacted may be accepted and then end
 * with EXPIRED.
 */
final class KubernetesResourceStore implements ResourceStore, AutoCloseable {
  /** The server sends a bookmark about once a minute. */
  private static final Duration SILENCE_LIMIT = Duration.ofMinutes(3);

  private static final String OBJECT = "application/json";

  /** Names that are safe in a path; every resource name matches. */
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]*[a-z0-9])?");

  private final KubernetesConnection connection;
  private final ResourceJson json;
  private final WriteRules rules;
  private final Set<Watch> watches = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService watchdog =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "store-kubernetes-watchdog");
            thread.setDaemon(true);
            return thread;
          });

  /** Prepares a store; connects at the first use. */
  KubernetesResourceStore(KubernetesConnection connection, ResourceJson json, Clock clock) {
    this.connection = connection;
    this.json = json;
    // The server assigns uids itself; those of the rules are not sent.
    this.rules = new WriteRules(json, clock, () -> UUID.randomUUID().toString());
  }

  private <R extends Resource<R>> ApiKind<R> api(ResourceKind<R> kind) {
    return new ApiKind<>(kind, connection.namespace(), json);
  }

  @Override
  public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name)
      throws StorageException {
    ApiKind<R> api = api(kind);
    if (!NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    try {
      JsonNode object = send(api, name, "GET", api.path(name), Optional.empty());
      return api.owns(object) ? Optional.of(api.decode(object)) : Optional.empty();
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
    ApiKind<R> api = api(kind);
    String path = api.collection() + "?" + api.selecting(selector.toString());
    JsonNode list = send(api, "", "GET", path, Optional.empty());
    List<R> items = new ArrayList<>();
    for (JsonNode item : list.path("items")) {
      items.add(api.decode(item));
    }
    items.sort(Comparator.comparing(Resource::name));
    return new ResourceList<>(items, versionOf(list));
  }

  private static String versionOf(JsonNode document) {
    return document.path("metadata").path("resourceVersion").asText();
  }

  /** Returns the version of the present state. */
  private String latestVersion(ApiKind<?> api) throws StorageException {
    return versionOf(send(api, "", "GET", api.collection() + "?limit=1", Optional.empty()));
  }

  @Override
  public <R extends Resource<R>> R create(R resource) throws StorageException {
    ApiKind<R> api = api(resource.resourceKind());
    R wanted = rules.create(Optional.empty(), resource).resource();
    R asked =
        wanted.withMetadata(
            wanted
                .metadata()
                .withUid("")
                .withGeneration(0)
                .withCreationTimestamp(Optional.empty()));
    R created =
        api.decode(
            send(api, asked.name(), "POST", api.collection(), Optional.of(api.encode(asked))));
    return created.status().equals(wanted.status())
        ? created
        : putStatus(api, created.withStatusOf(wanted));
  }

  @Override
  public <R extends Resource<R>> R update(R resource) throws StorageException {
    ApiKind<R> api = api(resource.resourceKind());
    Transition<R> decided = rules.update(get(api.kind(), resource.name()), resource);
    if (decided.change().isEmpty()) {
      return decided.resource();
    }
    R wanted = decided.resource();
    Optional<String> body = Optional.of(api.encode(wanted));
    R written = api.decode(send(api, wanted.name(), "PUT", api.path(wanted.name()), body));
    if (decided.change().get() != WatchEvent.Type.DELETED) {
      return written;
    }
    // The response contains the requested object without the version of the deletion.
    return decided.withVersion(Versions.parse(latestVersion(api))).resource();
  }

  @Override
  public <R extends Resource<R>> R updateStatus(R resource) throws StorageException {
    ApiKind<R> api = api(resource.resourceKind());
    Transition<R> decided = rules.updateStatus(get(api.kind(), resource.name()), resource);
    return decided.change().isEmpty() ? decided.resource() : putStatus(api, decided.resource());
  }

  private <R extends Resource<R>> R putStatus(ApiKind<R> api, R resource) throws StorageException {
    if (!api.hasStatus()) {
      return resource;
    }
    String path = api.path(resource.name()) + "/status";
    return api.decode(send(api, resource.name(), "PUT", path, Optional.of(api.encode(resource))));
  }

  @Override
  public <R extends Resource<R>> Optional<R> delete(ResourceKind<R> kind, String name, String uid)
      throws StorageException {
    ApiKind<R> api = api(kind);
    R before =
        get(kind, name)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.NOT_FOUND, kind.singular() + " \"" + name + "\" does not exist"));
    Transition<R> decided = rules.delete(Optional.of(before), kind, name, uid);
    if (decided.change().isEmpty()) {
      return Optional.of(before);
    }
    ObjectNode options = json.mapper().createObjectNode().put("kind", "DeleteOptions");
    options.put("apiVersion", "v1").put("propagationPolicy", "Background");
    options.putObject("preconditions").put("uid", before.metadata().uid());
    JsonNode answer = send(api, name, "DELETE", api.path(name), Optional.of(json.write(options)));
    return answer.path("kind").asText().equals("Status")
        ? Optional.empty()
        : Optional.of(api.decode(answer));
  }

  @Override
  public <R extends Resource<R>> Watch watch(
      ResourceKind<R> kind, String resourceVersion, WatchListener<R> listener)
      throws StorageException {
    ApiKind<R> api = api(kind);
    Versions.requireKept(
        kind, Versions.parse(resourceVersion), 1, Versions.parse(latestVersion(api)));
    Watch running =
        StreamWatch.start(
            new KindEvents<>(api, connection),
            json,
            resourceVersion,
            listener,
            watchdog,
            SILENCE_LIMIT);
    watches.add(running);
    return () -> {
      watches.remove(running);
      running.close();
    };
  }

  private JsonNode send(
      ApiKind<?> api, String name, String method, String path, Optional<String> body)
      throws StorageException {
    KubernetesConnection.Answer answer = connection.send(method, path, OBJECT, body);
    if (!answer.isSuccess()) {
      throw ApiAnswers.failure(api.kind(), name, answer);
    }
    return answer.document();
  }

  /** Ends all watches and closes the connection; the store must not be used afterwards. */
  @Override
  public void close() {
    watches.forEach(Watch::close);
    watchdog.shutdownNow();
    connection.close();
  }
}
