package dev.holdfast.client;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.restore.RestoreMode;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A requested volume. Omitted values take the model's default, and those of a copy take the values
 * of its source.
 *
 * @param name of the volume
 * @param size text of the user, for example {@code 1Gi}; empty for the size of the source
 * @param replicas number of replicas
 * @param engine name of the engine
 * @param frontend name of the frontend
 * @param from source of a copy, empty for none
 * @param cloneMode whether a copy may share blocks with its source
 * @param accessMode number of nodes that may use it
 * @param image backing image of the volume, empty for none
 * @param backup address of the backup to restore, empty for none
 * @param restoreMode whether clients may use it during the restore
 * @param flattened whether it is restored with the content of the image below the backup
 * @param standby whether it follows the later backups of the same volume
 */
@RecordBuilder
public record VolumeRequest(
    String name,
    String size,
    OptionalInt replicas,
    Optional<String> engine,
    Optional<String> frontend,
    Optional<CloneSource> from,
    Optional<CloneMode> cloneMode,
    Optional<AccessMode> accessMode,
    String image,
    String backup,
    RestoreMode restoreMode,
    boolean flattened,
    boolean standby)
    implements VolumeRequestBuilder.With {

  private static final long BLOCK = 4096;
  private static final long SMALLEST = 1L << 20;

  /** Returns a request for a volume other than a copy. */
  public static VolumeRequest of(
      String name,
      String size,
      OptionalInt replicas,
      Optional<String> engine,
      Optional<String> frontend) {
    return new VolumeRequest(
        name,
        size,
        replicas,
        engine,
        frontend,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        "",
        "",
        RestoreMode.WHOLE,
        false,
        false);
  }

  /** Returns a request with the defaults of the model. */
  public static VolumeRequest of(String name, String size) {
    return VolumeRequest.of(name, size, OptionalInt.empty(), Optional.empty(), Optional.empty());
  }

  /**
   * Returns the same request for a copy.
   *
   * @param source a volume, or a volume and a snapshot of it as {@code volume@snapshot}
   * @throws StorageException INVALID for any other text
   */
  public VolumeRequest from(String source) throws StorageException {
    int at = source.indexOf('@');
    String volume = at < 0 ? source : source.substring(0, at);
    String snapshot = at < 0 ? "" : source.substring(at + 1);
    if (volume.isEmpty() || (at >= 0 && snapshot.isEmpty())) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume " + name + ": a copy is made from VOLUME or VOLUME@SNAPSHOT, not from " + source);
    }
    return withFrom(Optional.of(new CloneSource(volume, snapshot)));
  }

  /**
   * Returns the request for a copy with the values of its source where it has none of its own.
   *
   * @param needed the smallest size
   * @throws StorageException INVALID for a smaller or a malformed size
   */
  VolumeRequest likeSource(VolumeSpec source, Quantity needed) throws StorageException {
    if (!size.isEmpty() && quantity(name, size).compareTo(needed) < 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "volume "
              + name
              + ": spec.size: must be at least "
              + needed
              + ", as what it is copied from");
    }
    return withSize(size.isEmpty() ? needed.toString() : size)
        .withEngine(engine.or(() -> Optional.of(source.dataEngine())))
        .withFrontend(frontend.or(() -> Optional.of(source.frontend())))
        .withReplicas(OptionalInt.of(replicas.orElse(source.numberOfReplicas())));
  }

  /**
   * Returns the requested volume.
   *
   * @throws StorageException INVALID for a malformed size
   */
  public Volume toVolume() throws StorageException {
    VolumeSpec defaults = VolumeSpec.EMPTY;
    return Volume.of(
        name,
        defaults
            .withSize(quantity(name, size))
            .withNumberOfReplicas(replicas.orElse(defaults.numberOfReplicas()))
            .withDataEngine(engine.orElse(defaults.dataEngine()))
            .withFrontend(frontend.orElse(defaults.frontend()))
            .withCloneSource(from)
            .withBackingImage(image)
            .withFromBackup(backup)
            .withRestoreMode(restoreMode)
            .withRestoreFlattened(flattened)
            .withStandby(standby)
            .withCloneMode(cloneMode.orElse(defaults.cloneMode()))
            .withAccessMode(accessMode.orElse(defaults.accessMode())));
  }

  /**
   * Parses a size, and rounds it up to a valid device size.
   *
   * @throws StorageException INVALID with the user's text
   */
  public static Quantity quantity(String name, String size) throws StorageException {
    try {
      Quantity rounded = Quantity.parse(size).roundedUp(BLOCK);
      if (rounded.bytes() < SMALLEST) {
        throw new IllegalArgumentException(size + " is less than 1Mi, the smallest size");
      }
      return rounded;
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, "volume " + name + ": spec.size: " + e.getMessage(), e);
    }
  }
}
