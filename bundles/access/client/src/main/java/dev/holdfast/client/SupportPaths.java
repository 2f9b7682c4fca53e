package dev.holdfast.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Paths of the API for support. The role {@code support} may read those below {@code /support}. */
public final class SupportPaths {
  /** A support bundle; parameters since, volume and nodes. */
  public static final String BUNDLE = "/support/bundle";

  /** The audit logs of all nodes; parameters user, verb, kind, name and since. */
  public static final String AUDIT = "/support/audit";

  /** A copy of the store, for the role {@code admin}. */
  public static final String STORE_COPY = "/store/copy";

  private SupportPaths() {}

  /** Returns a path with the non-empty parameters. */
  public static String query(String path, Map<String, Optional<String>> parameters) {
    String query =
        parameters.entrySet().stream()
            .filter(entry -> entry.getValue().isPresent())
            .map(
                entry ->
                    entry.getKey()
                        + "="
                        + URLEncoder.encode(entry.getValue().orElseThrow(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    return query.isEmpty() ? path : path + "?" + query;
  }
}
