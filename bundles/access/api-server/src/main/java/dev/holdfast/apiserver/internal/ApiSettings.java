package dev.holdfast.apiserver.internal;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Function;

/**
 * The framework properties that the API server reads.
 *
 * @param data the node's state directory
 * @param address to listen at
 * @param advertised the address that clients use, without a port
 */
record ApiSettings(Path data, InetSocketAddress address, String advertised) {
  private static final String DEFAULT_ADDRESS = "127.0.0.1";
  private static final String DEFAULT_PORT = "7443";
  private static final int LARGEST_PORT = 65535;

  static ApiSettings read(Function<String, String> properties) {
    String address = text(properties, "holdfast.address").orElse(DEFAULT_ADDRESS);
    String advertised = text(properties, "holdfast.advertised.address").orElse(address);
    boolean wildcard = advertised.equals("0.0.0.0") || advertised.equals("::");
    return new ApiSettings(
        Path.of(
            text(properties, "holdfast.data")
                .orElseThrow(
                    () ->
                        new IllegalStateException(
                            "holdfast.data is not set: it names the state directory"))),
        new InetSocketAddress(address, port(properties)),
        wildcard ? DEFAULT_ADDRESS : advertised);
  }

  private static int port(Function<String, String> properties) {
    String text = text(properties, "holdfast.api.port").orElse(DEFAULT_PORT);
    if (!text.matches("\\d{1,5}") || Integer.parseInt(text) > LARGEST_PORT) {
      throw new IllegalStateException(
          "holdfast.api.port must be a port from 0 (any) to " + LARGEST_PORT + ", not " + text);
    }
    return Integer.parseInt(text);
  }

  private static Optional<String> text(Function<String, String> properties, String key) {
    return Optional.ofNullable(properties.apply(key)).map(String::strip).filter(v -> !v.isEmpty());
  }

  /**
   * Returns whether this node admits other nodes, because it has not joined another node itself.
   */
  boolean decidesMembers() {
    return !Files.exists(data.resolve("cluster").resolve("kubeconfig"));
  }

  /** Returns the URL for clients. */
  String url(int port) {
    String host = advertised.contains(":") ? "[" + advertised + "]" : advertised;
    return "https://" + host + ":" + port;
  }
}
