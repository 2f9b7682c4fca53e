package dev.holdfast.apiserver.internal.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A media type with its parameters, for example {@code application/json;as=Table;g=meta.k8s.io}.
 *
 * @param type in lower case
 * @param parameters by name
 */
public record MediaType(String type, Map<String, String> parameters) {
  /** Reads one media type. */
  public static MediaType parse(String text) {
    String[] parts = text.split(";", -1);
    Map<String, String> parameters = new HashMap<>();
    for (int i = 1; i < parts.length; i++) {
      String[] pair = parts[i].strip().split("=", 2);
      parameters.put(pair[0].strip(), pair.length == 2 ? pair[1].strip() : "");
    }
    return new MediaType(parts[0].strip().toLowerCase(Locale.ROOT), Map.copyOf(parameters));
  }

  /** Parses an Accept header in its order; kubectl lists its preferred type first. */
  public static List<MediaType> accepted(ApiRequest request) {
    List<MediaType> types = new ArrayList<>();
    for (String part : request.header("Accept").orElse("*/*").split(",", -1)) {
      if (!part.isBlank()) {
        types.add(parse(part));
      }
    }
    return types;
  }

  /** Returns a parameter, or an empty text if it is absent. */
  public String parameter(String name) {
    return parameters.getOrDefault(name, "");
  }

  public boolean isJson() {
    return type.equals("application/json") || type.equals("*/*") || type.equals("application/*");
  }
}
