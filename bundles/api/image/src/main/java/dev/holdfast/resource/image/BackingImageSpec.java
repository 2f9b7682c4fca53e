package dev.holdfast.resource.image;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.ObjectMeta;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The wanted state of a backing image. The fields have the names that Longhorn uses.
 *
 * @param sourceType name of the image source that delivers the image, for example download; never
 *     changes
 * @param sourceParameters parameters of the source, for example url; never change
 * @param checksum expected SHA-512 of the delivered file, in hexadecimal digits; empty to accept
 *     any; never changes
 * @param minNumberOfCopies minimum number of disks that keep an unused image, 1 to 20
 * @param nodeSelector tags that a node must have to keep the image
 * @param diskSelector tags that a disk must have to keep the image
 * @param dataEngine name of the engine that keeps the image; never changes
 * @param diskFileSpecMap wanted disks of the image, by disk UUID; written by the image controller,
 *     except for evictionRequested
 * @param cleanupDisks UUIDs of disks from which a user wants the image removed; a disk is removed
 *     from the list when its file is removed or in use
 */
@RecordBuilder
public record BackingImageSpec(
    String sourceType,
    Map<String, String> sourceParameters,
    String checksum,
    Integer minNumberOfCopies,
    List<String> nodeSelector,
    List<String> diskSelector,
    String dataEngine,
    Map<String, DiskFileSpec> diskFileSpecMap,
    List<String> cleanupDisks)
    implements BackingImageSpecBuilder.With {
  /** The value with all fields at their defaults. */
  public static final BackingImageSpec EMPTY = BackingImageSpecBuilder.builder().build();

  private static final int LONGEST_NAME = 63;
  private static final int MOST_COPIES = 20;
  private static final int MOST_PARAMETERS = 64;
  private static final int LONGEST_PARAMETER = 4096;

  /** Replaces null components by their defaults and copies the collections. */
  public BackingImageSpec {
    sourceType = Defaults.text(sourceType);
    sourceParameters = Defaults.map(sourceParameters);
    checksum = Defaults.text(checksum).toLowerCase(Locale.ROOT);
    minNumberOfCopies = Defaults.or(minNumberOfCopies, 1);
    nodeSelector = Defaults.list(nodeSelector);
    diskSelector = Defaults.list(diskSelector);
    dataEngine = Defaults.or(dataEngine, "sparse");
    diskFileSpecMap = Defaults.map(diskFileSpecMap);
    cleanupDisks = Defaults.list(cleanupDisks);
  }

  List<FieldError> validate(ObjectMeta metadata) {
    Checks checks =
        new Checks()
            .that(
                metadata.name().length() <= LONGEST_NAME || !Checks.isName(metadata.name()),
                "metadata.name",
                metadata.name(),
                "must be at most " + LONGEST_NAME + " characters, because folders are named by it")
            .name(sourceType, "spec.sourceType")
            .name(dataEngine, "spec.dataEngine")
            .that(
                checksum.isEmpty() || checksum.matches("[0-9a-f]{128}"),
                "spec.checksum",
                checksum,
                "must be a SHA-512 of 128 hexadecimal digits, as sha512sum prints it")
            .that(
                minNumberOfCopies >= 1 && minNumberOfCopies <= MOST_COPIES,
                "spec.minNumberOfCopies",
                minNumberOfCopies,
                "must be between 1 and " + MOST_COPIES)
            .that(
                sourceParameters.size() <= MOST_PARAMETERS,
                "spec.sourceParameters",
                sourceParameters.size(),
                "must have at most " + MOST_PARAMETERS + " entries");
    sourceParameters.forEach(
        (name, value) ->
            checks.that(
                value.length() <= LONGEST_PARAMETER,
                "spec.sourceParameters[" + name + "]",
                value.length() + " characters",
                "must be at most " + LONGEST_PARAMETER + " characters"));
    return checks.errors();
  }

  List<FieldError> validateChange(BackingImageSpec earlier) {
    return new Checks()
        .immutable(earlier.sourceType, sourceType, "spec.sourceType")
        .immutable(earlier.sourceParameters, sourceParameters, "spec.sourceParameters")
        .immutable(earlier.checksum, checksum, "spec.checksum")
        .immutable(earlier.dataEngine, dataEngine, "spec.dataEngine")
        .errors();
  }
}
