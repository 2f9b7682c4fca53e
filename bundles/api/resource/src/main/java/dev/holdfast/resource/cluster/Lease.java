package dev.holdfast.resource.cluster;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * A hint which node performs a task. A lease does not fence.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record Lease(ObjectMeta metadata, LeaseSpec spec, LeaseStatus status)
    implements Resource<Lease> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<Lease> KIND =
      new ResourceKind<>(
          "Lease",
          "leases",
          List.of("hfl"),
          Lease.class,
          "A hint about which node does a piece of work. A lease does not fence.",
          List.of(
              ResourceKind.Column.of("Holder", "string", ".spec.holderIdentity", "The holder.")));

  /** Label that distinguishes a Lease of this kind from other leases of the Kubernetes cluster. */
  public static final String LABEL = "holdfast.dev/lease";

  /**
   * Annotation of a node's lease: the key by which other nodes admit the machine that holds the
   * lease.
   */
  public static final String CERTIFICATE_KEY_ANNOTATION = "holdfast.dev/certificate-key";

  /** Replaces null components by empty values. */
  public Lease {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, LeaseSpec.EMPTY);
    status = Defaults.or(status, LeaseStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static Lease of(String name, LeaseSpec spec) {
    return new Lease(ObjectMeta.named(name), spec, LeaseStatus.EMPTY);
  }

  @Override
  public ResourceKind<Lease> resourceKind() {
    return KIND;
  }

  @Override
  public Lease withMetadata(ObjectMeta newMetadata) {
    return new Lease(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public Lease withSpec(LeaseSpec newSpec) {
    return new Lease(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public Lease withStatus(LeaseStatus newStatus) {
    return new Lease(metadata, spec, newStatus);
  }

  @Override
  public Lease withSpecOf(Lease other) {
    return withSpec(other.spec());
  }

  @Override
  public Lease withStatusOf(Lease other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate();
  }
}
