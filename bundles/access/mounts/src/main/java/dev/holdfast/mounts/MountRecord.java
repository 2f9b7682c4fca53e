package dev.holdfast.mounts;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.holdfast.host.NfsMounts;

/**
 * Record of a volume's filesystem or share that is mounted on this host, or whose mount has begun.
 * It is written before the first action, so that the remains of a crash can be removed.
 *
 * @param volume name of the volume
 * @param directory mount point
 * @param device the host's device, or the endpoint of a share; empty until it exists
 * @param filesystem its type, empty until known
 * @param ticket the attachment ticket of the mount
 * @param ownsTicket whether the mount added that ticket, so that the unmount removes it
 * @param node requested node of the attachment, empty for any; null (in records of release 0.1.0)
 *     becomes empty
 * @param persistent whether it is restored after a reboot
 * @param options of nfs(5) that replace those of the share, empty for none; an empty value is not
 *     written, because earlier releases do not know the field
 * @param backup name of the backup that is mounted instead of a volume, empty for none; then
 *     ownsTicket records whether the mount exported it
 */
public record MountRecord(
    String volume,
    String directory,
    String device,
    String filesystem,
    String ticket,
    boolean ownsTicket,
    String node,
    boolean persistent,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) String options,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) String backup) {

  /** Replaces fields that are absent in records of release 0.1.0. */
  public MountRecord {
    node = node == null ? "" : node;
    options = options == null ? "" : options;
    backup = backup == null ? "" : backup;
  }

  /** Returns whether the record is for the read-only filesystem of a backup. */
  @JsonIgnore
  public boolean isOfBackup() {
    return !backup.isEmpty();
  }

  /** Returns whether the record is for a share; then its device is the endpoint. */
  @JsonIgnore
  public boolean isShare() {
    return filesystem.equals(NfsMounts.TYPE);
  }

  MountRecord on(String newDevice, String newFilesystem) {
    return new MountRecord(
        volume,
        directory,
        newDevice,
        newFilesystem,
        ticket,
        ownsTicket,
        node,
        persistent,
        options,
        backup);
  }

  MountRecord persistently() {
    return new MountRecord(
        volume, directory, device, filesystem, ticket, ownsTicket, node, true, options, backup);
  }
}
