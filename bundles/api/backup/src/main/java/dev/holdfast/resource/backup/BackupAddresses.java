package dev.holdfast.resource.backup;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Addresses of backups: the address of a target with parameters that name a volume, a backup or an
 * image at the target. The target may have parameters of its own, such as the options of a mount.
 * Stateless.
 */
public final class BackupAddresses {
  private static final String VOLUME = "volume";
  private static final String BACKUP = "backup";

  /** Parameters that name content of a target. The address of a target must not contain them. */
  private static final Set<String> CONTENT =
      Set.of(VOLUME, BACKUP, BackupBackingImage.ADDRESS_PARAMETER);

  private BackupAddresses() {}

  /**
   * Returns the address of the backup of a volume.
   *
   * @param target address of the target, not null
   * @param volume name of the volume at the target, not null
   * @param backup name of the backup, not null
   * @return the address, never null
   */
  public static String ofVolume(String target, String volume, String backup) {
    return target
        + separator(target)
        + Stream.of(parameter(BACKUP, backup), parameter(VOLUME, volume))
            .collect(Collectors.joining("&"));
  }

  /**
   * Returns the address of the backup of an image.
   *
   * @param target address of the target, not null
   * @param image name of the image, not null
   * @return the address, never null
   */
  public static String ofImage(String target, String image) {
    return target + separator(target) + parameter(BackupBackingImage.ADDRESS_PARAMETER, image);
  }

  /**
   * Returns the address of the target in the address of a backup.
   *
   * @param address of a backup or of a target, not null
   * @return the address without the parameters that name content, never null
   */
  public static String targetOf(String address) {
    return without(address, CONTENT);
  }

  /**
   * Returns the address of another backup of the same volume at the same target.
   *
   * @param address of a backup, not null
   * @param backup name of the other backup, not null
   * @return the address, never null
   */
  public static String withBackup(String address, String backup) {
    String target = without(address, Set.of(BACKUP));
    return target + separator(target) + parameter(BACKUP, backup);
  }

  /**
   * Returns the address of the same content at another target.
   *
   * @param address of a backup, not null
   * @param target the address of the other target, not null
   * @return the address, never null
   */
  public static String atTarget(String address, String target) {
    int query = address.indexOf('?');
    String content =
        query < 0
            ? ""
            : parameters(address, query).stream()
                .filter(pair -> CONTENT.contains(name(pair)))
                .collect(Collectors.joining("&"));
    return content.isEmpty() ? target : target + separator(target) + content;
  }

  /** Returns whether an address names a backup, a volume or an image, and not only a target. */
  static boolean namesContent(String address) {
    return !targetOf(address).equals(address);
  }

  private static String separator(String address) {
    return address.indexOf('?') < 0 ? "?" : "&";
  }

  private static String parameter(String name, String value) {
    return name + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  private static String without(String address, Set<String> names) {
    int query = address.indexOf('?');
    if (query < 0) {
      return address;
    }
    String left =
        parameters(address, query).stream()
            .filter(pair -> !names.contains(name(pair)))
            .collect(Collectors.joining("&"));
    return left.isEmpty() ? address.substring(0, query) : address.substring(0, query + 1) + left;
  }

  private static List<String> parameters(String address, int query) {
    return Arrays.asList(address.substring(query + 1).split("&", -1));
  }

  private static String name(String pair) {
    int equals = pair.indexOf('=');
    return equals < 0 ? pair : pair.substring(0, equals);
  }
}
