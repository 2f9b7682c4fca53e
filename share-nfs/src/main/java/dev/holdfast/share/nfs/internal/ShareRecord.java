package dev.holdfast.share.nfs.internal;

import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.share.ShareAddress;
import dev.holdfast.share.ShareRequest;
import java.util.Optional;

/**
 * Parts of a share that this node has, or is about to have: written before the effect, so that what
 * a crash left can be taken back without the request.
 *
 * @param volume its name
 * @param epoch claim under which it is served
 * @param endpoint that the device is connected to
 * @param encrypted whether the device is opened by cryptsetup
 * @param device with the filesystem; empty until it is there
 * @param filesystem its type; empty until it is known
 * @param size bytes of the volume to which the filesystem was grown
 * @param ip address at which it is served
 * @param prefixLength of a floating address
 * @param interfaceName of a floating address, empty for the node's own
 * @param port at which it is served
 * @param pid process of the server; 0 for none
 * @param startTicks start time of that process
 * @param bootId boot in which it was started
 */
record ShareRecord(
    String volume,
    long epoch,
    String endpoint,
    boolean encrypted,
    String device,
    String filesystem,
    long size,
    String ip,
    int prefixLength,
    String interfaceName,
    int port,
    long pid,
    long startTicks,
    String bootId) {

  static ShareRecord claim(ShareRequest request) {
    ShareAddress address = request.address();
    return new ShareRecord(
        request.volume(),
        request.epoch(),
        request.device().toString(),
        request.key().isPresent(),
        "",
        "",
        0,
        address.ip(),
        address.prefixLength(),
        address.interfaceName(),
        request.port(),
        0,
        0,
        "");
  }

  /** Returns what this one becomes for another request of the same epoch. */
  ShareRecord again(ShareRequest request) {
    ShareRecord claim = claim(request);
    return new ShareRecord(
        volume,
        epoch,
        claim.endpoint,
        claim.encrypted,
        device,
        filesystem,
        size,
        claim.ip,
        claim.prefixLength,
        claim.interfaceName,
        claim.port,
        pid,
        startTicks,
        bootId);
  }

  ShareRecord mounted(String newDevice, String newFilesystem, long newSize) {
    return new ShareRecord(
        volume,
        epoch,
        endpoint,
        encrypted,
        newDevice,
        newFilesystem,
        newSize,
        ip,
        prefixLength,
        interfaceName,
        port,
        pid,
        startTicks,
        bootId);
  }

  ShareRecord served(ProcessIdentity process) {
    return new ShareRecord(
        volume,
        epoch,
        endpoint,
        encrypted,
        device,
        filesystem,
        size,
        ip,
        prefixLength,
        interfaceName,
        port,
        process.pid(),
        process.startTicks(),
        process.bootId());
  }

  Optional<ProcessIdentity> process() {
    return pid == 0 ? Optional.empty() : Optional.of(new ProcessIdentity(pid, startTicks, bootId));
  }

  ShareAddress address() {
    return new ShareAddress(ip, prefixLength, interfaceName);
  }
}
