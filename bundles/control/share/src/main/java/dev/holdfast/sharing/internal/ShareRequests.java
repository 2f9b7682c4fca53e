package dev.holdfast.sharing.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ShareAddress;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.share.ShareRequest;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Builds the request to a server from the resources. */
final class ShareRequests {
  private static final Pattern NUMERIC = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");

  private ShareRequests() {}

  /**
   * Returns the request for a share whose volume is attached to this node, without the key of an
   * encrypted volume ({@link ShareKeys}).
   *
   * @param nodes all nodes, which are the clients of a share that names none
   * @throws StorageException INVALID if this node has no address
   */
  static ShareRequest of(ShareManager share, Volume volume, List<Node> nodes, String here)
      throws StorageException {
    ShareManagerSpec spec = share.spec();
    return new ShareRequest(
        share.name(),
        volume.metadata().uid(),
        share.status().epoch().number(),
        URI.create(volume.status().endpoint()),
        size(volume),
        spec.filesystem(),
        Optional.empty(),
        address(share, nodes, here),
        spec.port(),
        clients(spec, nodes),
        spec.squash(),
        Duration.ofSeconds(spec.leaseSeconds()),
        Duration.ofSeconds(spec.graceSeconds()));
  }

  /**
   * Returns the size of the device, which equals the specification after the engine has grown the
   * volume.
   */
  static long size(Volume volume) {
    long current = volume.status().currentSize().bytes();
    return current > 0 ? current : volume.spec().size().bytes();
  }

  private static ShareAddress address(ShareManager share, List<Node> nodes, String here)
      throws StorageException {
    Optional<ShareAddress> floating = ShareAddress.parsed(share.spec().address());
    if (floating.isPresent()) {
      return floating.get();
    }
    return nodes.stream()
        .filter(node -> node.name().equals(here))
        .map(node -> node.status().address())
        .filter(address -> !address.isEmpty())
        .findFirst()
        .map(ShareAddress::own)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.INVALID,
                    "share "
                        + share.name()
                        + ": node "
                        + here
                        + " has no address: set spec.address"));
  }

  private static List<AllowedClient> clients(ShareManagerSpec spec, List<Node> nodes) {
    return spec.allowedClients().isEmpty()
        ? nodes.stream()
            .map(node -> node.status().address())
            .filter(address -> NUMERIC.matcher(address).matches())
            .distinct()
            .sorted()
            .map(AllowedClient::of)
            .toList()
        : spec.allowedClients();
  }
}
