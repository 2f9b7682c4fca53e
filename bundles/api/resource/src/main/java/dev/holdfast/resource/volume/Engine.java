package dev.holdfast.resource.volume;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * The data path of a volume on the node to which it is attached.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record Engine(ObjectMeta metadata, EngineSpec spec, EngineStatus status)
    implements Resource<Engine> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<Engine> KIND =
      new ResourceKind<>(
          "Engine",
          "engines",
          List.of("hfe"),
          Engine.class,
          "The data path of a volume on the node that it is attached to.",
          List.of(
              ResourceKind.Column.of("Volume", "string", ".spec.volume", "The volume."),
              ResourceKind.Column.of(
                  "State", "string", ".status.currentState", "The current state."),
              ResourceKind.Column.of("Node", "string", ".spec.nodeID", "The node it runs on."),
              ResourceKind.Column.of(
                  "Endpoint", "string", ".status.endpoint", "URI for initiators.")));

  /** Finalizer held while a node has the volume open. */
  public static final String FINALIZER = "holdfast.dev/engine";

  /** Prefix of annotations in which a node keeps the state of the volume's export. */
  public static final String EXPORT_ANNOTATIONS = "export.holdfast.dev/";

  /** Reason of an engine or a frontend that is not installed on the node. */
  public static final String NOT_INSTALLED_REASON = "NotInstalled";

  /** Reason of a replica or a node that does not answer. */
  public static final String UNREACHABLE_REASON = "Unreachable";

  /** Condition, and reason, of a device that could not grow. */
  public static final String EXPANSION_FAILED_CONDITION = "ExpansionFailed";

  /**
   * Condition that reports whether the node on which the volume is open uses the disk directly.
   *
   * @since 1.1
   */
  public static final String PLACED_CONDITION = "Placed";

  /**
   * Condition that is False while requests wait for a condition outside of the engine, otherwise
   * absent.
   *
   * @since 1.1
   */
  public static final String REQUESTS_PASS_CONDITION = "RequestsPass";

  /** Condition that reports whether the second node of a live migration serves. */
  public static final String FORWARDING_CONDITION = "Forwarding";

  /** Replaces null components by empty values. */
  public Engine {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, EngineSpec.EMPTY);
    status = Defaults.or(status, EngineStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static Engine of(String name, EngineSpec spec) {
    return new Engine(ObjectMeta.named(name), spec, EngineStatus.EMPTY);
  }

  @Override
  public ResourceKind<Engine> resourceKind() {
    return KIND;
  }

  @Override
  public Engine withMetadata(ObjectMeta newMetadata) {
    return new Engine(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public Engine withSpec(EngineSpec newSpec) {
    return new Engine(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public Engine withStatus(EngineStatus newStatus) {
    return new Engine(metadata, spec, newStatus);
  }

  @Override
  public Engine withSpecOf(Engine other) {
    return withSpec(other.spec());
  }

  @Override
  public Engine withStatusOf(Engine other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate();
  }

  @Override
  public List<FieldError> validateChange(Engine earlier) {
    return spec.validateChange(earlier.spec());
  }
}
