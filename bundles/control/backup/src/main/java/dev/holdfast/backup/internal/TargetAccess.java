package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * How a target is opened.
 *
 * @param address of the target, or of a backup there
 * @param secret name of the secret with its credentials; empty for none
 */
public record TargetAccess(String address, String secret) {
  /** Returns how a target is opened. */
  public static TargetAccess of(BackupTarget target) {
    return new TargetAccess(target.spec().backupTargetURL(), target.spec().credentialSecret());
  }

  /** Returns the address of a backup at a target. */
  public static String addressOf(BackupTarget target, BackupName name) {
    return target.spec().backupTargetURL()
        + "?backup="
        + URLEncoder.encode(name.backup(), StandardCharsets.UTF_8)
        + "&volume="
        + URLEncoder.encode(name.volume(), StandardCharsets.UTF_8);
  }

  /** Returns the address of the backup of an image at a target. */
  static String addressOfImage(BackupTarget target, String image) {
    return addressOfImage(target.spec().backupTargetURL(), image);
  }

  /** Returns the address of the backup of an image at the target with an address. */
  static String addressOfImage(String target, String image) {
    return target
        + "?"
        + BackupBackingImage.ADDRESS_PARAMETER
        + "="
        + URLEncoder.encode(image, StandardCharsets.UTF_8);
  }

  /** Returns the address of the target in the address of a backup. */
  static String targetOf(String backup) {
    return backup.replaceFirst("[?].*", "");
  }

  /**
   * Returns how the backup of an address is read: by the credentials of the target with this
   * address, or without any.
   */
  static TargetAccess of(String backup, ReconcileContext context) {
    return of(backup, context.list(BackupTarget.KIND, LabelSelector.ALL));
  }

  /** Does the same with what a store has. */
  static TargetAccess of(String backup, ResourceStore store) throws StorageException {
    return of(backup, store.list(BackupTarget.KIND, LabelSelector.ALL).items());
  }

  private static TargetAccess of(String backup, List<BackupTarget> targets) {
    String target = targetOf(backup);
    return targets.stream()
        .filter(known -> known.spec().backupTargetURL().equals(target))
        .findFirst()
        .map(known -> new TargetAccess(backup, known.spec().credentialSecret()))
        .orElseGet(() -> new TargetAccess(backup, ""));
  }
}
