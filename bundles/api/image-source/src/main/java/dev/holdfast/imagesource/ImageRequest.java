package dev.holdfast.imagesource;

import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Request for the bytes of an image.
 *
 * @param image name of the image, for messages, not null
 * @param parameters values of the source's declared parameters, not null
 * @param addresses rule for each address to which the source connects, not null
 * @param proxy HTTP proxy through which the source must connect, not resolved; empty to connect
 *     directly, not null
 * @param disks volumes and images of the cluster that the source can read, not null
 * @param body the client's body for a source that takes a body; otherwise empty, not null
 */
public record ImageRequest(
    String image,
    Map<String, String> parameters,
    AddressRule addresses,
    Optional<InetSocketAddress> proxy,
    ClusterDisks disks,
    Optional<ImageBody> body) {
  /** Copies the parameters and rejects null components. */
  public ImageRequest {
    Objects.requireNonNull(image, "image");
    parameters = Map.copyOf(parameters);
    Objects.requireNonNull(addresses, "addresses");
    Objects.requireNonNull(proxy, "proxy");
    Objects.requireNonNull(disks, "disks");
    Objects.requireNonNull(body, "body");
  }
}
