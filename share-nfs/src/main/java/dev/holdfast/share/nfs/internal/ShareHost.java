package dev.holdfast.share.nfs.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostInitiators;
import dev.holdfast.processes.ProcessSupervisor;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaServer;
import dev.holdfast.share.nfs.internal.ganesha.ShareFolder;
import dev.holdfast.share.nfs.internal.volume.ShareMounts;
import dev.holdfast.share.nfs.internal.volume.VolumeDevice;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Parts that all shares of a node have in common.
 *
 * @param host has the programs, devices and mounts
 * @param initiators connect volumes
 * @param supervisor of the processes of all shares
 * @param processes folder of the supervisor
 * @param records of the shares
 * @param clients of all shares
 * @param folders parent of the shares' folders
 * @param sockets parent of the sockets of their D-Bus
 */
record ShareHost(
    Host host,
    HostInitiators initiators,
    ProcessSupervisor supervisor,
    Path processes,
    ShareRecords records,
    RecordedConnections clients,
    Path folders,
    Path sockets) {

  ShareFolder folder(String volume) {
    return ShareFolder.of(folders, sockets, volume);
  }

  VolumeDevice device(String volume) {
    return new VolumeDevice(host, initiators, volume);
  }

  ShareMounts mounts(String volume, Duration patience) {
    return new ShareMounts(host, folder(volume), patience);
  }

  GaneshaServer server(String volume) {
    return new GaneshaServer(host, supervisor, volume, folder(volume));
  }

  StorageException superseded(ShareRecord present, long epoch) {
    return new StorageException(
        ErrorCode.CONFLICT,
        "share "
            + present.volume()
            + ": epoch "
            + epoch
            + " is over, this node has epoch "
            + present.epoch());
  }
}
