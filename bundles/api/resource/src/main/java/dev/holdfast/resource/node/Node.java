package dev.holdfast.resource.node;

import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;
import java.util.Optional;

/**
 * A machine that runs Holdfast, with its disks.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record Node(ObjectMeta metadata, NodeSpec spec, NodeStatus status)
    implements Resource<Node> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<Node> KIND =
      new ResourceKind<>(
          "Node",
          "nodes",
          List.of("hfn"),
          Node.class,
          "A machine that runs Holdfast, with its disks.",
          List.of(
              ResourceKind.Column.of(
                  "Ready",
                  "string",
                  ".status.conditions[?(@.type==\"Ready\")].status",
                  "Whether the node reports and is ready."),
              ResourceKind.Column.of(
                  "Schedulable",
                  "boolean",
                  ".spec.allowScheduling",
                  "Whether new replicas may be placed here."),
              ResourceKind.Column.of(
                  "Address", "string", ".status.address", "Address for other nodes."),
              ResourceKind.Column.wide(
                  "Version", "string", ".status.version", "Version of Holdfast.")));

  /**
   * Annotation with the value {@code true} while the Kubernetes node of the same name is cordoned.
   * The store of a Kubernetes cluster keeps it up to date.
   */
  public static final String CORDONED_ANNOTATION = "holdfast.dev/cordoned";

  /** Annotation with the upgrade that a user requests from the node, as JSON. */
  public static final String UPGRADE_REQUEST_ANNOTATION = "upgrade.holdfast.dev/request";

  /** Annotation with the node's last upgrades, as JSON. */
  public static final String UPGRADE_REPORT_ANNOTATION = "upgrade.holdfast.dev/report";

  /** Condition that reports whether clients of volumes need a credential. */
  public static final String DATA_PATH_AUTHENTICATED_CONDITION = "DataPathAuthenticated";

  /** Reason of that condition while clients need no credential. */
  public static final String DATA_PATH_OPEN_REASON = "Open";

  /**
   * Type of the condition that is False while a bundle on the node hangs or fails.
   *
   * @since 1.1
   */
  public static final String PLUGINS_HEALTHY_CONDITION = "PluginsHealthy";

  /**
   * Type of the condition that is False while two bundles on the node offer plugins of one name.
   *
   * @since 1.1
   */
  public static final String PLUGIN_NAMES_UNIQUE_CONDITION = "PluginNamesUnique";

  /** Reason of a node that does not report, and of tickets that wait for it. */
  public static final String NOT_READY_REASON = "NodeNotReady";

  /** Replaces null components by empty values. */
  public Node {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, NodeSpec.EMPTY);
    status = Defaults.or(status, NodeStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static Node of(String name, NodeSpec spec) {
    return new Node(ObjectMeta.named(name), spec, NodeStatus.EMPTY);
  }

  /**
   * Returns whether the node accepts no new replicas, because of its spec or a cordon in
   * Kubernetes.
   */
  public boolean isCordoned() {
    return !spec.allowScheduling()
        || metadata.annotations().getOrDefault(CORDONED_ANNOTATION, "").equals("true");
  }

  /**
   * Returns the identifier of the disk with an identity, as this node last reported it; empty when
   * the node does not have that disk.
   *
   * @param diskUUID identity that is stored on the disk; an empty identity matches no disk
   * @since 1.1
   */
  public Optional<String> diskWithIdentity(String diskUUID) {
    return spec.disks().keySet().stream()
        .filter(id -> !diskUUID.isEmpty())
        .filter(id -> status.diskStatus().containsKey(id))
        .filter(id -> status.diskStatus().get(id).diskUUID().equals(diskUUID))
        .findFirst();
  }

  /**
   * Returns whether the node has a disk and reports it as usable.
   *
   * @param diskID identifier of the disk on this node
   * @since 1.1
   */
  public boolean isDiskReady(String diskID) {
    return spec.disks().containsKey(diskID)
        && status.diskStatus().containsKey(diskID)
        && Condition.isTrue(status.diskStatus().get(diskID).conditions(), Condition.READY);
  }

  @Override
  public ResourceKind<Node> resourceKind() {
    return KIND;
  }

  @Override
  public Node withMetadata(ObjectMeta newMetadata) {
    return new Node(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public Node withSpec(NodeSpec newSpec) {
    return new Node(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public Node withStatus(NodeStatus newStatus) {
    return new Node(metadata, spec, newStatus);
  }

  @Override
  public Node withSpecOf(Node other) {
    return withSpec(other.spec());
  }

  @Override
  public Node withStatusOf(Node other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate();
  }

  @Override
  public List<FieldError> validateChange(Node earlier) {
    return spec.validateChange(earlier.spec());
  }
}
