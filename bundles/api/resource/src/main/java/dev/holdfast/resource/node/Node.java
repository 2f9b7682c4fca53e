package dev.holdfast.resource.node;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * A machine that runs Holdfast, with its disks.
 *
 * @param metadata name and bookkeeping
 * @param spec what is wanted
 * @param status what is observed
 */
public record Node(ObjectMeta metadata, NodeSpec spec, NodeStatus status)
    implements Resource<Node> {
  /** The kind. */
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

  /** Replaces what is null by its empty value. */
  public Node {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, NodeSpec.EMPTY);
    status = Defaults.or(status, NodeStatus.EMPTY);
  }

  /** A resource that is to be created. */
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
}
