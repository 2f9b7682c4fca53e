package dev.holdfast.mounts;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.holdfast.host.NfsMounts;

/**
 * A volume's filesystem or share that is mounted on this host, or whose mount has begun. Written
 * before anything is done, so that what a crash left can be taken back.
 *
 * @param volume its name
 * @param directory where it is mounted
 * @param device the host's device, or the endpoint of a share; empty until there is one
 * @param filesystem its type, empty until it is known
 * @param ticket the attachment ticket that mounting uses
 * @param ownsTicket whether mounting added that ticket, so that unmounting takes it back
 * @param node that the volume was to be attached to, empty for any; null (in records of release
 *     0.1.0) becomes empty
 * @param persistent whether it is mounted again after a reboot
 * @param options of nfs(5) that replace those of the share, empty for none; not written where there
 *     are none, because earlier releases do not know them
 * @param backup name of the backup that is mounted instead of a volume, empty for none; then
 *     ownsTicket tells whether mounting exported it
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

  /** Fills in what records of release 0.1.0 do not have. */
  public MountRecord {
    node = node == null ? "" : node;
    options = options == null ? "" : options;
    backup = backup == null ? "" : backup;
  }

  /** Returns whether it is the read-only filesystem of a backup. */
  @JsonIgnore
  public boolean isOfBackup() {
    return !backup.isEmpty();
  }

  /** Returns whether it is a share; then its device is the endpoint. */
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
