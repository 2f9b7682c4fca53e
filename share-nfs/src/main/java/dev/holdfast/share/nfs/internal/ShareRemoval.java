package dev.holdfast.share.nfs.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.share.ShareStop;
import dev.holdfast.share.nfs.internal.address.FloatingAddress;
import dev.holdfast.share.nfs.internal.address.PortSilence;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaServer;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaSettings;
import dev.holdfast.share.nfs.internal.volume.DeviceRequests;
import dev.holdfast.share.nfs.internal.volume.VolumeDevice;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what a node has of one share, from its record alone. The record is deleted last: until
 * then each call repeats what is missing.
 */
final class ShareRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(ShareRemoval.class);
  private static final Duration UNMOUNT = Duration.ofMinutes(10);
  private static final Duration FORCED = Duration.ofSeconds(2);

  private final ShareHost node;
  private final ShareRecord record;
  private final GaneshaServer server;
  private final VolumeDevice device;

  ShareRemoval(ShareHost node, ShareRecord record) {
    this.node = node;
    this.record = record;
    this.server = node.server(record.volume());
    this.device = node.device(record.volume());
  }

  /**
   * Ends the share in order.
   *
   * @throws StorageException BUSY when other processes use the mount, or a process does not end; IO
   */
  void inOrder(ShareStop how) throws StorageException {
    switch (how) {
      case END -> endExport();
      case MOVE -> endSilently();
    }
    server.stop();
    node.mounts(record.volume(), UNMOUNT).unmount(false);
    device.close(record.encrypted());
    forget();
  }

  /** Clients that ask now learn that the export is gone; a server that hangs tells them nothing. */
  private void endExport() {
    if (record.process().filter(ProcessIdentity::isAlive).isEmpty()) {
      return;
    }
    try {
      server.control().removeExport(GaneshaSettings.EXPORT_ID);
    } catch (StorageException e) {
      LOG.debug("share {}: the export was not removed: {}", record.volume(), e.getMessage());
    }
  }

  /** Without the address, what the kernel sends at the end of the connections reaches no client. */
  private void endSilently() throws StorageException {
    removeAddress();
    record.process().ifPresent(GaneshaServer::kill);
  }

  /**
   * Removes the share although its device or its clients do not cooperate.
   *
   * @throws StorageException TIMEOUT when the kernel still holds the process or the device
   */
  void byForce() throws StorageException {
    silence().begin();
    record.process().ifPresent(GaneshaServer::kill);
    removeAddress();
    Optional<DeviceRequests> before = device.requests();
    boolean ended = hasEnded() || endsAfterAbort(before);
    try {
      node.mounts(record.volume(), FORCED).unmount(true);
      device.close(record.encrypted());
    } catch (StorageException e) {
      LOG.warn("share {}: {}; disconnecting the device", record.volume(), e.getMessage());
      ended |= endsAfterAbort(before);
      node.mounts(record.volume(), FORCED).unmount(true);
      device.disconnect(); // what waits for the device fails now
      ended |= hasEnded();
      device.close(record.encrypted());
    }
    if (!ended && !hasEnded()) {
      throw new StorageException(
          ErrorCode.TIMEOUT,
          "share "
              + record.volume()
              + ": the kernel holds the killed process "
              + record.pid()
              + " until the device answers");
    }
    server.stop();
    forget();
  }

  /** A device that still completes requests is waited for, because an abort may lose data. */
  private boolean endsAfterAbort(Optional<DeviceRequests> before) throws StorageException {
    if (DeviceRequests.hang(before, device.requests())) {
      LOG.warn("share {}: its device does not answer; failing its requests", record.volume());
      device.abort();
    }
    return hasEnded();
  }

  private boolean hasEnded() throws StorageException {
    return HostCondition.holds(
        FORCED, () -> record.process().filter(ProcessIdentity::isAlive).isEmpty());
  }

  private PortSilence silence() {
    return new PortSilence(node.host(), record.ip(), record.port());
  }

  private void removeAddress() throws StorageException {
    if (record.address().isFloating()) {
      new FloatingAddress(node.host(), record.address()).remove();
    }
    silence().end();
  }

  private void forget() throws StorageException {
    removeAddress();
    node.folder(record.volume()).delete();
    node.clients().forget(record.volume());
    server.deleteLogs(node.processes());
    node.records().delete(record.volume());
  }
}
