package dev.holdfast.access;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import java.util.List;

/**
 * A client of volumes on another host, with the volumes that it may use.
 *
 * @param metadata name and bookkeeping
 * @param spec wanted state
 * @param status observed state
 */
public record BlockClient(ObjectMeta metadata, BlockClientSpec spec, BlockClientStatus status)
    implements Resource<BlockClient> {
  /** Names, Java type and printed columns of the kind. */
  public static final ResourceKind<BlockClient> KIND =
      new ResourceKind<>(
          "BlockClient",
          "blockclients",
          List.of("hfbc"),
          BlockClient.class,
          "A client of volumes on another host, with the volumes that it may use.",
          List.of(
              ResourceKind.Column.of(
                  "Volumes", "string", ".spec.volumes", "The volumes that it may use."),
              ResourceKind.Column.of("Access", "string", ".spec.access", "Its access."),
              ResourceKind.Column.of(
                  "Expires", "string", ".spec.expiresAt", "End of the rights of the client."),
              ResourceKind.Column.wide(
                  "Initiators", "string", ".spec.initiators", "Its names in iSCSI and NVMe.")));

  /** Replaces null components by empty values. */
  public BlockClient {
    metadata = Defaults.or(metadata, ObjectMeta.named(""));
    spec = Defaults.or(spec, BlockClientSpec.EMPTY);
    status = Defaults.or(status, BlockClientStatus.EMPTY);
  }

  /** Returns a new resource with an empty status. */
  public static BlockClient of(String name, BlockClientSpec spec) {
    return new BlockClient(ObjectMeta.named(name), spec, BlockClientStatus.EMPTY);
  }

  @Override
  public ResourceKind<BlockClient> resourceKind() {
    return KIND;
  }

  @Override
  public BlockClient withMetadata(ObjectMeta newMetadata) {
    return new BlockClient(newMetadata, spec, status);
  }

  /** Returns this resource with another spec. */
  public BlockClient withSpec(BlockClientSpec newSpec) {
    return new BlockClient(metadata, newSpec, status);
  }

  /** Returns this resource with another status. */
  public BlockClient withStatus(BlockClientStatus newStatus) {
    return new BlockClient(metadata, spec, newStatus);
  }

  @Override
  public BlockClient withSpecOf(BlockClient other) {
    return withSpec(other.spec());
  }

  @Override
  public BlockClient withStatusOf(BlockClient other) {
    return withStatus(other.status());
  }

  @Override
  public List<FieldError> validate() {
    return spec.validate(metadata);
  }
}
