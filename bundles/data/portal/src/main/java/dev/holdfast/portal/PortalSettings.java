package dev.holdfast.portal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.portal.internal.listen.AuthenticationMode;
import dev.holdfast.portal.internal.listen.ListenerSettings;
import dev.holdfast.portal.internal.listen.TlsMode;
import dev.holdfast.portal.internal.transport.PortalLimits;
import dev.holdfast.portal.internal.transport.ReplacementLimits;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * The portal's options. Each is read by name when it is needed.
 *
 * @param property returns the value of a framework or system property, empty when not set
 */
public record PortalSettings(Function<String, Optional<String>> property)
    implements ListenerSettings {
  static final String ADDRESS = "holdfast.address";
  static final String ADVERTISED_ADDRESS = "holdfast.advertised.address";
  static final String DATA = "holdfast.data";
  static final String AUTHENTICATION = "holdfast.frontend.authentication";
  static final String CONNECTIONS = "holdfast.portal.connections";
  static final String LATE = "holdfast.plugin.late.seconds";
  static final String PARKED = "holdfast.portal.parked";
  private static final int HIGHEST_PORT = 65_535;

  public PortalSettings {
    Objects.requireNonNull(property, "property");
  }

  @Override
  public String address() {
    return property.apply(ADDRESS).orElse("127.0.0.1");
  }

  @Override
  public String advertisedAddress() {
    return property.apply(ADVERTISED_ADDRESS).orElseGet(this::address);
  }

  @Override
  public Optional<Path> socketFolder() {
    return property.apply(DATA).map(data -> Path.of(data, "run"));
  }

  @Override
  public int port(FrontendProvider frontend) throws StorageException {
    Optional<String> value = property.apply(frontend.portProperty());
    if (value.isEmpty()) {
      return frontend.defaultPort();
    }
    return number(frontend.portProperty(), value.get(), 0, HIGHEST_PORT);
  }

  @Override
  public AuthenticationMode authentication() throws StorageException {
    String value = property.apply(AUTHENTICATION).map(String::strip).orElse("");
    return AuthenticationMode.named(value)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.INVALID,
                    AUTHENTICATION + " is '" + value + "'; use required, open-loopback or open"));
  }

  @Override
  public TlsMode tls(FrontendProvider frontend) throws StorageException {
    String name = "holdfast." + frontend.name() + ".tls";
    Optional<String> value = property.apply(name).map(String::strip);
    if (value.isEmpty()) {
      return frontend.hasTls() ? TlsMode.OFFER : TlsMode.OFF;
    }
    TlsMode mode = mode(name, value.get());
    if (mode != TlsMode.OFF && !frontend.hasTls()) {
      throw new StorageException(
          ErrorCode.INVALID,
          name
              + " is '"
              + value.get()
              + "', but "
              + frontend.name()
              + " has no TLS, and data would travel in clear: set off, or publish volumes by a "
              + "frontend with TLS");
    }
    return mode;
  }

  private static TlsMode mode(String name, String value) throws StorageException {
    if (value.equalsIgnoreCase("false")) {
      return TlsMode.OFF;
    }
    try {
      return TlsMode.valueOf(value.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, name + " is '" + value + "'; use off, offer or require", e);
    }
  }

  @Override
  public boolean nodesOnly(FrontendProvider frontend) throws StorageException {
    if (!frontend.nodesOnly() || tls(frontend) != TlsMode.OFF) {
      return frontend.nodesOnly();
    }
    if (!isLoopback(address())) {
      throw new StorageException(
          ErrorCode.INVALID,
          "holdfast."
              + frontend.name()
              + ".tls may be off only when "
              + ADDRESS
              + " is a loopback address, not "
              + address());
    }
    return false;
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  PortalLimits limits() throws StorageException {
    PortalLimits standard = PortalLimits.standard();
    ReplacementLimits replacement = standard.replacement();
    int parked = number(PARKED, (int) replacement.parked().toSeconds());
    return new PortalLimits(
        number(CONNECTIONS, standard.connections()),
        standard.replies(),
        standard.replyBytes(),
        standard.bufferBytes(),
        standard.handshake(),
        standard.stall(),
        standard.grace(),
        replacement.parked(Duration.ofSeconds(parked)),
        Duration.ofSeconds(number(LATE, (int) standard.late().toSeconds())));
  }

  private int number(String name, int otherwise) throws StorageException {
    Optional<String> value = property.apply(name);
    return value.isEmpty() ? otherwise : number(name, value.get(), 1, Integer.MAX_VALUE);
  }

  private static int number(String name, String value, int lowest, int highest)
      throws StorageException {
    try {
      int number = Integer.parseInt(value.trim());
      if (number >= lowest && number <= highest) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Continue below: every wrong value has the same message.
    }
    throw new StorageException(
        ErrorCode.INVALID,
        name + " is '" + value + "'; it must be a number from " + lowest + " to " + highest);
  }
}
