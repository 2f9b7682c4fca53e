package dev.holdfast.csi.internal.server;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.resource.backup.RecurringJob;
import java.util.Map;
import java.util.TreeMap;

/**
 * The parameter {@code recurringJobSelector} of a StorageClass, in Longhorn's form: a JSON list of
 * objects with {@code name} and {@code isGroup}. Stateless.
 */
public final class JobSelector {
  /** Name of the parameter. */
  public static final String PARAMETER = "recurringJobSelector";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FORM =
      "expected a JSON list such as [{\"name\": \"nightly\", \"isGroup\": false}]";

  private JobSelector() {}

  /**
   * Returns the labels with which a volume selects jobs and groups of jobs.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static Map<String, String> labels(String text) {
    Map<String, String> labels = new TreeMap<>();
    if (text.isBlank()) {
      return labels;
    }
    for (JsonNode entry : list(text)) {
      String name = entry.path("name").asText();
      if (!CsiNames.isResourceName(name)) {
        throw new IllegalArgumentException(
            "\"" + name + "\" is not the name of a job or group; " + FORM);
      }
      boolean group = entry.path("isGroup").asBoolean();
      labels.put(
          group ? RecurringJob.groupLabel(name) : RecurringJob.jobLabel(name),
          RecurringJob.ENABLED);
    }
    return labels;
  }

  private static JsonNode list(String text) {
    try {
      JsonNode list = JSON.readTree(text);
      if (!list.isArray()) {
        throw new IllegalArgumentException(FORM);
      }
      return list;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(FORM + ": " + e.getOriginalMessage(), e);
    }
  }
}
