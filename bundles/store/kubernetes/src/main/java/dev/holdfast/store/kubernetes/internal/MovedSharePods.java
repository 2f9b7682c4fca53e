package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes pods whose mount of a share is lost because the share moved to another endpoint. The
 * setting {@code restart-pods-of-moved-shares} selects them. Their controllers recreate them, and
 * the driver mounts the share at the new endpoint.
 *
 * <p>A share requests this once, with the time at which it served again. A pod that started before
 * is deleted, and its replacement started later, so each request is carried out once even if it is
 * repeated after a crash. A share behind a Service or with a floating address keeps its endpoint,
 * and its pods stay. Not thread-safe.
 */
final class MovedSharePods {
  static final String EXAMPLE = "moved-shares.yaml";

  private static final Logger LOG = LoggerFactory.getLogger(MovedSharePods.class);

  private final ClusterObjects objects;
  private final ResourceStore store;
  private final String self;

  /** Requests for which no older pod is left; only reduces the number of checks. */
  private final Set<Request> settled = new HashSet<>();

  /**
   * Creates a task that has not run.
   *
   * @param self name of this node; only the first ready node does the work
   */
  MovedSharePods(KubernetesConnection connection, ResourceStore store, String self) {
    this.objects =
        new ClusterObjects(connection, PlatformSettings.RESTART_MOVED_SHARES.name(), EXAMPLE);
    this.store = store;
    this.self = self;
  }

  /**
   * A share that serves at a new endpoint.
   *
   * @param volume name of its volume
   * @param at time at which it first served there
   */
  private record Request(String volume, Instant at) {}

  /**
   * Runs one check, and deletes pods.
   *
   * @return always false: a deletion needs no further check
   * @throws StorageException FORBIDDEN; as {@link KubernetesConnection#send}
   */
  boolean run() throws StorageException {
    if (!PlatformSettings.RESTART_MOVED_SHARES.isOn(
            store.get(Setting.KIND, PlatformSettings.RESTART_MOVED_SHARES.name()))
        || !FirstReadyNode.is(store, self)) {
      return false;
    }
    Map<String, Request> requests = requests();
    settled.retainAll(requests.values());
    requests.values().removeAll(settled);
    if (!requests.isEmpty()) {
      carryOut(requests);
    }
    return false;
  }

  private Map<String, Request> requests() throws StorageException {
    Map<String, Request> requests = new HashMap<>();
    for (ShareManager share : store.list(ShareManager.KIND, LabelSelector.ALL).items()) {
      Optional<Instant> at = share.status().remountRequestedAt();
      if (at.isPresent()
          && share.status().state() == InstanceState.RUNNING
          && isMountedAtItsNode(share)) {
        requests.put(share.name(), new Request(share.name(), at.get()));
      }
    }
    return requests;
  }

  /** Clients of a Service use the Service's endpoint, which stays. */
  private boolean isMountedAtItsNode(ShareManager share) throws StorageException {
    return store
        .get(Volume.KIND, share.name())
        .filter(volume -> volume.status().shareEndpoint().equals(share.status().endpoint()))
        .isPresent();
  }

  private void carryOut(Map<String, Request> requests) throws StorageException {
    Map<String, String> volumes = objects.byClaim("/spec/csi/volumeHandle");
    Set<Request> open = new HashSet<>();
    List<JsonNode> pods =
        objects.list(
            "pods",
            "/api/v1/pods",
            pod -> !PodFields.isOver(pod) && PodFields.controller(pod).isPresent());
    for (JsonNode pod : pods) {
      Set<Request> older = new HashSet<>();
      for (String volume : PodFields.volumes(pod, volumes)) {
        Optional.ofNullable(requests.get(volume))
            .filter(request -> beganBefore(pod, request.at()))
            .ifPresent(older::add);
      }
      if (!older.isEmpty() && isRunning(pod) && !PodFields.isBeingDeleted(pod)) {
        delete(pod, older);
      }
      open.addAll(older);
    }
    settled.addAll(requests.values());
    settled.removeAll(open);
  }

  private static boolean isRunning(JsonNode pod) {
    return pod.at("/status/phase").asText().equals("Running");
  }

  /** A pod that its kubelet has not started yet mounts the share at the new endpoint. */
  private static boolean beganBefore(JsonNode pod, Instant request) {
    try {
      return Instant.parse(pod.at("/status/startTime").asText()).isBefore(request);
    } catch (DateTimeException e) {
      return false;
    }
  }

  private void delete(JsonNode pod, Set<Request> requests) throws StorageException {
    String what = "pod " + PodFields.namespace(pod) + "/" + PodFields.name(pod);
    objects.delete(
        what,
        "/api/v1/namespaces/" + PodFields.namespace(pod) + "/pods/" + PodFields.name(pod),
        PodFields.uid(pod),
        OptionalInt.empty());
    LOG.warn(
        "deleted {}: it has a former mount of the shares {}",
        what,
        requests.stream().map(Request::volume).sorted().toList());
  }
}
