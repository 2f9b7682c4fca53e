package dev.holdfast.store.etcd.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Address and credentials of an etcd.
 *
 * @param endpoints URLs of its members, at least one, either all http or all https
 * @param authorities file with the trusted certificates, empty for those that Java trusts
 * @param certificate file with this client's certificate, empty for none
 * @param key file with its private key, present exactly if the certificate is
 * @param login user and password, empty when etcd has no users, or identifies them by certificates
 * @param prefix prefix of all keys, ends with a slash
 * @param history length of the retained history unless another client compacts etcd; zero keeps all
 */
record EtcdSettings(
    List<URI> endpoints,
    Optional<Path> authorities,
    Optional<Path> certificate,
    Optional<Path> key,
    Optional<User> login,
    String prefix,
    Duration history) {
  static final String DEFAULT_PREFIX = "/holdfast.dev/";

  private static final long DEFAULT_HISTORY_MINUTES = 60;

  /**
   * A user of etcd.
   *
   * @param name name of the user in etcd
   * @param password file with the password
   */
  record User(String name, Path password) {}

  EtcdSettings {
    endpoints = List.copyOf(endpoints);
  }

  /**
   * Reads {@code holdfast.etcd.endpoints}, {@code .ca}, {@code .cert}, {@code .key}, {@code .user},
   * {@code .password.file}, {@code .prefix} and {@code .history.minutes}.
   *
   * @param property returns the value of a property, or null
   * @throws StorageException INVALID; the message names the property
   */
  static EtcdSettings read(Function<String, String> property) throws StorageException {
    List<URI> endpoints = new ArrayList<>();
    for (String text : value(property, "endpoints").orElse("").split(",", -1)) {
      if (!text.isBlank()) {
        endpoints.add(endpoint(text.strip()));
      }
    }
    if (endpoints.isEmpty()) {
      throw invalid("endpoints", "must name at least one URL, for example https://10.0.0.1:2379");
    }
    if (endpoints.stream().map(URI::getScheme).distinct().count() > 1) {
      throw invalid("endpoints", "must all be http or all be https");
    }
    Optional<Path> certificate = value(property, "cert").map(Path::of);
    Optional<Path> key = value(property, "key").map(Path::of);
    if (certificate.isPresent() != key.isPresent()) {
      throw invalid(certificate.isPresent() ? "key" : "cert", "must be set: the other one is");
    }
    String prefix = value(property, "prefix").orElse(DEFAULT_PREFIX);
    return new EtcdSettings(
        endpoints,
        value(property, "ca").map(Path::of),
        certificate,
        key,
        login(property),
        prefix.endsWith("/") ? prefix : prefix + "/",
        history(property));
  }

  private static Optional<User> login(Function<String, String> property) throws StorageException {
    Optional<String> user = value(property, "user");
    Optional<Path> password = value(property, "password.file").map(Path::of);
    if (user.isPresent() != password.isPresent()) {
      throw invalid(user.isPresent() ? "password.file" : "user", "must be set: the other one is");
    }
    return user.map(name -> new User(name, password.orElseThrow()));
  }

  private static Duration history(Function<String, String> property) throws StorageException {
    String text = value(property, "history.minutes").orElse("");
    if (text.isEmpty()) {
      return Duration.ofMinutes(DEFAULT_HISTORY_MINUTES);
    } else if (!text.matches("[0-9]{1,6}")) {
      throw invalid("history.minutes", "\"" + text + "\" must be a number of minutes, 0 for all");
    }
    return Duration.ofMinutes(Long.parseLong(text));
  }

  private static Optional<String> value(Function<String, String> property, String name) {
    return Optional.ofNullable(property.apply("holdfast.etcd." + name))
        .map(String::strip)
        .filter(text -> !text.isEmpty());
  }

  private static URI endpoint(String text) throws StorageException {
    try {
      URI uri = URI.create(text);
      boolean known = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (known && uri.getHost() != null && uri.getPort() > 0) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      throw new StorageException(
          ErrorCode.INVALID, message("endpoints", text + " is not a URL"), e);
    }
    throw invalid("endpoints", "\"" + text + "\" must be http or https with a host and a port");
  }

  boolean isSecure() {
    return endpoints.get(0).getScheme().equals("https");
  }

  private static StorageException invalid(String name, String problem) {
    return new StorageException(ErrorCode.INVALID, message(name, problem));
  }

  private static String message(String name, String problem) {
    return "holdfast.etcd." + name + ": " + problem;
  }
}
