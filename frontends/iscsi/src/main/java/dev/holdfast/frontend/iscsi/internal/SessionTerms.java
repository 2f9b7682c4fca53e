package dev.holdfast.frontend.iscsi.internal;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Name and negotiated keys of a session of several connections; a further connection adopts them.
 * Their text form never changes, and distinguishes the session from all others of the same name.
 *
 * @param session token of its first connection, without spaces; not null
 * @param tsih the target's part of the session's name
 * @param keys keys negotiated for the whole session; not null; copied
 */
record SessionTerms(String session, int tsih, Map<String, String> keys) {
  private static final String MAX_CONNECTIONS = "MaxConnections";

  /** Keys that are negotiated on a session's first connection only, and differ between sessions. */
  private static final Collection<String> OF_SESSION =
      List.of(MAX_CONNECTIONS, "InitialR2T", "ImmediateData", "FirstBurstLength", "MaxBurstLength");

  SessionTerms {
    keys = Map.copyOf(keys);
  }

  /** Returns the terms of a new session, or empty when it has only one connection. */
  static Optional<SessionTerms> of(String session, int tsih, Map<String, String> agreed) {
    Map<String, String> keys = new TreeMap<>(agreed);
    keys.keySet().retainAll(OF_SESSION);
    return Optional.of(new SessionTerms(session, tsih, keys))
        .filter(terms -> terms.connections() > 1);
  }

  /** Returns the maximum number of connections. */
  int connections() {
    return Integer.parseInt(keys.getOrDefault(MAX_CONNECTIONS, "1"));
  }

  String text() {
    return session
        + " "
        + tsih
        + new TreeMap<>(keys)
            .entrySet().stream()
                .map(key -> " " + key.getKey() + "=" + key.getValue())
                .collect(Collectors.joining());
  }

  /** Reads a text; empty when it belongs to a session with one connection. */
  static Optional<SessionTerms> parse(String text) {
    String[] words = text.split(" ", -1);
    return words.length < 2
        ? Optional.empty()
        : Optional.of(
            new SessionTerms(
                words[0],
                Integer.parseInt(words[1]),
                Arrays.stream(words)
                    .skip(2)
                    .map(key -> key.split("=", 2))
                    .collect(Collectors.toMap(key -> key[0], key -> key[1]))));
  }
}
