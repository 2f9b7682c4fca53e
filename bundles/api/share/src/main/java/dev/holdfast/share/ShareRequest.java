package dev.holdfast.share;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Request to a server of this node to serve a share.
 *
 * @param volume name of the volume, which is also the name of the export
 * @param volumeUid identity of the volume, from which values are derived that must be equal on all
 *     nodes, such as the filesystem id, the server's owner and its scope
 * @param epoch number of the claim under which the share is served
 * @param device endpoint of the attached volume on this node, as a URI for initiators
 * @param size size of the volume in bytes
 * @param filesystem filesystem for a blank device, and mount options
 * @param key key of an encrypted volume; empty for an unencrypted volume
 * @param address address to serve at
 * @param port port to serve at, 1 to 65535
 * @param clients clients that may mount the share; all others are rejected
 * @param squash users that become anonymous if {@code clients} does not set it
 * @param lease time after which the server discards the state of a silent client
 * @param grace time in which clients reclaim their locks
 */
@RecordBuilder
public record ShareRequest(
    String volume,
    String volumeUid,
    long epoch,
    URI device,
    long size,
    ShareFilesystem filesystem,
    Optional<ShareKey> key,
    ShareAddress address,
    int port,
    List<AllowedClient> clients,
    ShareSquash squash,
    Duration lease,
    Duration grace)
    implements ShareRequestBuilder.With {
  /** Copies the list and rejects null components. */
  public ShareRequest {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(volumeUid, "volumeUid");
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(filesystem, "filesystem");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(address, "address");
    clients = List.copyOf(clients);
    Objects.requireNonNull(squash, "squash");
    Objects.requireNonNull(lease, "lease");
    Objects.requireNonNull(grace, "grace");
  }

  /** Returns the identity of the parts of the share on the node. */
  public ShareInstance instance() {
    return new ShareInstance(volume, epoch);
  }
}
