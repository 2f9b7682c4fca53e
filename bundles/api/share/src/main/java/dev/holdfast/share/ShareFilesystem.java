package dev.holdfast.share;

import dev.holdfast.resource.Checks;
import dev.holdfast.resource.Defaults;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Set;

/**
 * The filesystem of a shared volume.
 *
 * @param type filesystem for a blank volume, ext4 or xfs; an existing filesystem is kept
 * @param formatOptions options for mkfs, one argument each
 * @param mountOptions options with which the serving node mounts the filesystem, for example
 *     noatime
 */
@RecordBuilder
public record ShareFilesystem(String type, List<String> formatOptions, List<String> mountOptions)
    implements ShareFilesystemBuilder.With {
  /** An ext4 filesystem without options. */
  public static final ShareFilesystem DEFAULT = new ShareFilesystem("ext4", List.of(), List.of());

  private static final Set<String> TYPES = Set.of("ext4", "xfs");

  /** Replaces null components by their defaults and copies the collections. */
  public ShareFilesystem {
    type = type == null || type.isEmpty() ? "ext4" : type;
    formatOptions = Defaults.list(formatOptions);
    mountOptions = Defaults.list(mountOptions);
  }

  Checks checked(Checks checks, String field) {
    checks.that(TYPES.contains(type), field + ".type", type, "must be ext4 or xfs");
    formatOptions.forEach(
        option ->
            checks.that(
                !option.isBlank() && option.chars().noneMatch(Character::isISOControl),
                field + ".formatOptions",
                option,
                "must have one argument of mkfs in each entry"));
    checkOptions(checks, mountOptions, field + ".mountOptions");
    return checks;
  }

  static void checkOptions(Checks checks, List<String> options, String field) {
    options.forEach(
        option ->
            checks.that(
                option.matches("[^\\s,]+"),
                field,
                option,
                "must have one mount option in each entry, without commas and white space"));
  }
}
