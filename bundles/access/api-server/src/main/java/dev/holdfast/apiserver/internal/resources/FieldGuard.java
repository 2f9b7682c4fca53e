package dev.holdfast.apiserver.internal.resources;

import dev.holdfast.access.AccessControl;
import dev.holdfast.access.AccessDecision;
import dev.holdfast.access.AccessRequest;
import dev.holdfast.access.Caller;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.snapshot.SnapshotSpec;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Fields that need a right of their own, named as a subresource: {@code volumes/salvage}, {@code
 * snapshots/revert}, {@code nodes/upgrade}, and {@code nodes/disks} for all fields of a node except
 * cordon and eviction. Without that right a user may change the resource, but not these fields.
 */
public final class FieldGuard {
  private final AccessControl access;

  /** Creates the guard with an access control. */
  public FieldGuard(AccessControl access) {
    this.access = access;
  }

  /**
   * Checks a write.
   *
   * @param before the stored resource, empty if it is created
   * @throws ApiException 403 with the missing right
   */
  <R extends Resource<R>> void require(ApiRequest request, Optional<R> before, R after)
      throws ApiException {
    Caller caller = request.caller();
    if (caller.type() == Caller.Type.NODE
        && after instanceof Setting setting
        && !setting.spec().value().isEmpty()) {
      throw ApiException.forbidden(
          "node "
              + caller.node()
              + " may not give setting "
              + setting.name()
              + " a value: use the kubeconfig of the node that has the store");
    }
    if (before.isEmpty() && request.method().equals("PATCH")) {
      // Server-side apply creates absent resources.
      require(caller, "create", "", after);
    }
    if (caller.type() == Caller.Type.TOKEN || caller.type() == Caller.Type.USER) {
      for (String subresource : changed(before, after)) {
        require(caller, "update", subresource, after);
      }
    }
  }

  /**
   * Checks a write of a status. A node may only report that another node is unreachable.
   *
   * @param before the stored resource, empty if it does not exist
   * @throws ApiException 403 if a node changes more than that
   */
  <R extends Resource<R>> void requireStatus(ApiRequest request, Optional<R> before, R after)
      throws ApiException {
    Caller caller = request.caller();
    if (caller.type() == Caller.Type.NODE
        && after instanceof Node node
        && !node.name().equals(caller.node())
        && before.isPresent()
        && !reportsSilence((Node) (Resource<?>) before.get(), node)) {
      throw ApiException.forbidden(
          "node "
              + caller.node()
              + " may not change the status of node "
              + node.name()
              + ": it may set the condition Ready to Unknown only");
    }
  }

  private static boolean reportsSilence(Node before, Node after) {
    List<Condition> conditions = after.status().conditions();
    boolean sameReady =
        Condition.find(before.status().conditions(), Condition.READY)
            .equals(Condition.find(conditions, Condition.READY));
    boolean unknown =
        Condition.find(conditions, Condition.READY)
            .filter(ready -> ready.status() == Condition.Status.UNKNOWN)
            .isPresent();
    return (sameReady || unknown) && withoutReady(before).equals(withoutReady(after));
  }

  private static NodeStatus withoutReady(Node node) {
    return node.status()
        .withConditions(
            node.status().conditions().stream()
                .filter(condition -> !condition.type().equals(Condition.READY))
                .toList());
  }

  private void require(Caller caller, String verb, String subresource, Resource<?> resource)
      throws ApiException {
    AccessDecision decision =
        access.decide(
            caller,
            AccessRequest.of(
                verb,
                resource.resourceKind().plural(),
                subresource,
                resource.name(),
                resource.metadata()::labels));
    if (!decision.allowed()) {
      throw ApiException.forbidden(decision.reason());
    }
  }

  /** Returns the subresources whose fields a write changes. */
  static <R extends Resource<R>> List<String> changed(Optional<R> before, R after) {
    List<String> changed = new ArrayList<>();
    if (after instanceof Volume volume) {
      VolumeSpec spec = before.map(Volume.class::cast).map(Volume::spec).orElse(VolumeSpec.EMPTY);
      add(changed, "salvage", spec.salvage(), volume.spec().salvage());
    } else if (after instanceof Snapshot snapshot) {
      SnapshotSpec spec =
          before.map(Snapshot.class::cast).map(Snapshot::spec).orElse(SnapshotSpec.EMPTY);
      add(changed, "revert", spec.revertRequest(), snapshot.spec().revertRequest());
    } else if (after instanceof Node node) {
      Node stored = before.map(Node.class::cast).orElseGet(() -> Node.of("", node.spec()));
      add(changed, "upgrade", upgrade(stored), upgrade(node));
      add(changed, "disks", stored.spec().tags(), node.spec().tags());
      add(changed, "disks", disks(stored), disks(node));
    }
    return changed;
  }

  private static void add(List<String> changed, String subresource, Object one, Object other) {
    if (!one.equals(other)) {
      changed.add(subresource);
    }
  }

  private static String upgrade(Node node) {
    return Objects.requireNonNullElse(
        node.metadata().annotations().get(Node.UPGRADE_REQUEST_ANNOTATION), "");
  }

  /** Returns the disks without the fields of cordon and eviction. */
  private static Map<String, DiskSpec> disks(Node node) {
    Map<String, DiskSpec> disks = new HashMap<>();
    node.spec()
        .disks()
        .forEach(
            (id, disk) ->
                disks.put(
                    id,
                    disk.withAllowScheduling(DiskSpec.EMPTY.allowScheduling())
                        .withEvictionRequested(false)));
    return disks;
  }
}
