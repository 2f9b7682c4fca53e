package dev.holdfast.imagesource;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Request for the bytes of an image.
 *
 * @param image name of the image, for messages, not null
 * @param parameters declared ones of the source, not null
 * @param addresses rule for each address to which the source connects, not null
 * @param proxy HTTP proxy through which the source must connect, not resolved; empty to connect
 *     directly, not null
 * @param disks volumes and images of the cluster that the source can read, not null
 * @param body what a client sends, for a source that takes a body; otherwise empty, not null
 */
public record ImageRequest(
    String image,
    Map<String, String> parameters,
    AddressRule addresses,
    Optional<InetSocketAddress> proxy,
    ClusterDisks disks,
    Optional<ImageBody> body) {
  /** Copies the parameters and checks that nothing is missing. */
  public ImageRequest {
    Objects.requireNonNull(image, "image");
    parameters = Map.copyOf(parameters);
    Objects.requireNonNull(addresses, "addresses");
    Objects.requireNonNull(proxy, "proxy");
    Objects.requireNonNull(disks, "disks");
    Objects.requireNonNull(body, "body");
  }
}
