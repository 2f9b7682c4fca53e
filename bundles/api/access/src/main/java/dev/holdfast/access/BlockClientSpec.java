package dev.holdfast.access;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The rights of a client, and the identities by which the server recognizes it. Its secrets are not
 * kept here.
 *
 * @param volumes names of volumes that the client may use, in which * stands for any text
 * @param access whether the client may write to them
 * @param initiators its names in iSCSI (IQN) and NVMe (NQN)
 * @param certificates certificates that prove its identity over NBD
 * @param expiresAt time after which the client is refused; without it its rights do not expire
 */
@RecordBuilder
public record BlockClientSpec(
    List<String> volumes,
    ClientAccess access,
    List<String> initiators,
    List<ClientCertificate> certificates,
    Optional<Instant> expiresAt)
    implements BlockClientSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BlockClientSpec EMPTY = BlockClientSpecBuilder.builder().build();

  private static final String PATTERN = "[a-z0-9.*-]{1,253}";
  private static final String INITIATOR = "(iqn|eui|naa|nqn)\\.[!-~]{1,219}";

  /** Replaces null components by their defaults. */
  public BlockClientSpec {
    volumes = Defaults.list(volumes);
    access = Defaults.or(access, ClientAccess.READ_WRITE);
    initiators = Defaults.list(initiators);
    certificates = Defaults.list(certificates);
    expiresAt = Defaults.optional(expiresAt);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    Checks checks =
        new Checks()
            .name(metadata.name(), "metadata.name")
            .that(
                !volumes.isEmpty(),
                "spec.volumes",
                volumes,
                "must name at least one volume, or a pattern such as vm-*")
            .that(
                volumes.stream().allMatch(volume -> volume.matches(PATTERN)),
                "spec.volumes",
                volumes,
                "must be names of volumes, in which * stands for any text")
            .that(
                initiators.stream().allMatch(name -> name.matches(INITIATOR)),
                "spec.initiators",
                initiators,
                "must be names of iSCSI or NVMe initiators, such as iqn.… or nqn.…");
    for (int i = 0; i < certificates.size(); i++) {
      checks.all(certificates.get(i).validate("spec.certificates[" + i + "]"));
    }
    return checks.errors();
  }

  /**
   * Returns whether the client may use a volume.
   *
   * @param volume name of the volume, not null
   */
  public boolean names(String volume) {
    return volumes.stream().anyMatch(pattern -> NamePattern.matches(pattern, volume));
  }
}
