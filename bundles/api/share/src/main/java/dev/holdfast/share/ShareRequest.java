package dev.holdfast.share;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Order to a server of this node to serve a share.
 *
 * @param volume name of the volume, which is also the name of the export
 * @param volumeUid identity of the volume. Everything that must be the same on every node, such as
 *     the filesystem id, the server's owner and its scope, is derived from it
 * @param epoch number of the claim under which the share is served
 * @param device endpoint of the attached volume on this node, as initiators take it
 * @param size size of the volume in bytes
 * @param filesystem filesystem to make on a blank device, and how to mount it
 * @param key key of an encrypted volume; empty for one that is not encrypted
 * @param address address to serve at
 * @param port port to serve at, 1 to 65535
 * @param clients clients that may mount the share; every other client is refused
 * @param squash which users become anonymous where {@code clients} does not say it
 * @param lease time after which a silent client is forgotten
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
  /** Checks that nothing is missing, and copies the list. */
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

  /** Returns the identity of what the node then has of the share. */
  public ShareInstance instance() {
    return new ShareInstance(volume, epoch);
  }
}
