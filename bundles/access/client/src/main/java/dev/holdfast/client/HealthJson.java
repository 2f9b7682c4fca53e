package dev.holdfast.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.health.HealthFinding;
import dev.holdfast.health.HealthSeverity;
import dev.holdfast.resource.ResourceKind;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The document of findings, in the form that the API server sends and commands print. */
public final class HealthJson {
  /** Path of the document in the API. */
  public static final String PATH = "/apis/" + ResourceKind.API_VERSION + "/health";

  private static final String KIND = "HealthReport";

  private HealthJson() {}

  /** Returns the document of findings. */
  public static JsonNode document(List<HealthFinding> findings) {
    ObjectNode document = JsonNodeFactory.instance.objectNode();
    document.put("apiVersion", ResourceKind.API_VERSION).put("kind", KIND);
    ArrayNode list = document.putArray("findings");
    findings.forEach(finding -> list.add(tree(finding)));
    return document;
  }

  private static ObjectNode tree(HealthFinding finding) {
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    tree.put("code", finding.code()).put("severity", finding.severity().name());
    ArrayNode objects = tree.putArray("objects");
    finding.objects().forEach(objects::add);
    finding.since().ifPresent(since -> tree.put("since", since.toString()));
    return tree.put("sentence", finding.sentence()).put("remedy", finding.remedy());
  }

  /**
   * Returns the findings of a document. Severities of later versions count as warnings.
   *
   * @throws StorageException INVALID when the document has another form
   */
  public static List<HealthFinding> findings(JsonNode document) throws StorageException {
    if (!document.path("kind").asText().equals(KIND)) {
      throw new StorageException(ErrorCode.INVALID, "the server did not send a " + KIND);
    }
    try {
      List<HealthFinding> findings = new ArrayList<>();
      document.path("findings").forEach(tree -> findings.add(finding(tree)));
      return findings;
    } catch (IllegalArgumentException | DateTimeParseException e) {
      throw new StorageException(
          ErrorCode.INVALID, "the server sent a wrong " + KIND + ": " + e.getMessage(), e);
    }
  }

  private static HealthFinding finding(JsonNode tree) {
    List<String> objects = new ArrayList<>();
    tree.path("objects").forEach(object -> objects.add(object.asText()));
    boolean error = tree.path("severity").asText().equals(HealthSeverity.ERROR.name());
    return new HealthFinding(
        tree.path("code").asText(),
        error ? HealthSeverity.ERROR : HealthSeverity.WARNING,
        objects,
        Optional.of(tree.path("since").asText()).filter(t -> !t.isEmpty()).map(Instant::parse),
        tree.path("sentence").asText(),
        tree.path("remedy").asText());
  }
}
