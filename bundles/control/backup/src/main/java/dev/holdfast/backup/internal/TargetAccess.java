package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.store.LabelSelector;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

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

  /**
   * Returns how the backup of an address is read: by the credentials of the target with this
   * address, or without any.
   */
  static TargetAccess of(String backup, ReconcileContext context) {
    String target = backup.replaceFirst("[?].*", "");
    return context.list(BackupTarget.KIND, LabelSelector.ALL).stream()
        .filter(known -> known.spec().backupTargetURL().equals(target))
        .findFirst()
        .map(known -> new TargetAccess(backup, known.spec().credentialSecret()))
        .orElseGet(() -> new TargetAccess(backup, ""));
  }
}
